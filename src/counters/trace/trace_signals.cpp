// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signal handlers that only store, write and post, which is all that a handler may do.
#include "counters/trace/trace_signals.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>

#include <semaphore.h>
#include <signal.h>  // for POSIX's sigaction
#include <unistd.h>

#include "counters/core/signals_blocked.hpp"

namespace weft::counters::detail {
namespace {

struct watched_signal {
  int number;
  bool is_fault;  // always watched; other signals only if they would end the process
  struct sigaction previous = {};
};

// Set before the handlers are installed, and never changed afterwards.
std::array<watched_signal, 7> watched{{{.number = SIGSEGV, .is_fault = true},
                                       {.number = SIGBUS, .is_fault = true},
                                       {.number = SIGILL, .is_fault = true},
                                       {.number = SIGFPE, .is_fault = true},
                                       {.number = SIGABRT, .is_fault = true},
                                       {.number = SIGTERM, .is_fault = false},
                                       {.number = SIGINT, .is_fault = false}}};
std::atomic<std::uint32_t>* fatal_mark = nullptr;
const std::string* words = nullptr;
int marking_process = 0;  // its id

/// A fault happens again as soon as the handler returns, and then meets the previous handler. A
/// signal that was sent by a process must be sent again.
void on_fatal_signal(int signal, siginfo_t* info, void* /*context*/) {
  const int errno_before = errno;
  if (getpid() == marking_process) {
    fatal_mark->store(static_cast<std::uint32_t>(signal), std::memory_order_relaxed);
    [[maybe_unused]] const auto num_written = write(STDERR_FILENO, words->data(), words->size());
  }
  for (const watched_signal& each : watched) {
    if (each.number == signal) {
      sigaction(signal, &each.previous, nullptr);
    }
  }
  if (info->si_code <= 0) {
    raise(signal);
  }
  errno = errno_before;
}

void watch(watched_signal& each) noexcept {
  sigaction(each.number, nullptr, &each.previous);
  const bool is_default =
      (each.previous.sa_flags & SA_SIGINFO) == 0 && each.previous.sa_handler == SIG_DFL;
  if (each.is_fault || is_default) {
    struct sigaction ours = {};
    ours.sa_sigaction = &on_fatal_signal;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    sigaction(each.number, &ours, nullptr);
  }
}

sem_t dump_requests;

void on_dump_signal(int /*signal*/) {
  const int errno_before = errno;
  sem_post(&dump_requests);
  errno = errno_before;
}

}  // namespace

void mark_fatal_signals(std::atomic<std::uint32_t>& mark, std::string last_words) {
  if (words != nullptr) {
    return;
  }
  words = new std::string(std::move(last_words));  // never deleted: handlers may need it at exit
  fatal_mark = &mark;
  marking_process = getpid();
  for (watched_signal& each : watched) {
    watch(each);
  }
}

void dump_on_signal(int signal, void (*dump)() noexcept) {
  sem_init(&dump_requests, 0, 0);
  const signals_blocked in_the_new_thread;
  std::thread([dump] {
    for (;;) {
      if (sem_wait(&dump_requests) == 0) {
        dump();
      }
    }
  }).detach();
  struct sigaction ours = {};
  ours.sa_handler = &on_dump_signal;
  ours.sa_flags = SA_RESTART;
  sigemptyset(&ours.sa_mask);
  sigaction(signal, &ours, nullptr);
}

}  // namespace weft::counters::detail
