// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A SIGSEGV handler that recognises the guards of pooled stacks, and forwards every other fault.
#include "tasks/stacks/stack_overflow.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>

#include <signal.h>  // for POSIX's sigaction
#include <sys/mman.h>
#include <unistd.h>

#include "weft/base/error.hpp"

#include "tasks/stacks/stack_ranges.hpp"

namespace weft::tasks::detail {
namespace {

void write_to_standard_error(const char* text, std::size_t num_bytes) noexcept {
  [[maybe_unused]] const auto num_written = write(STDERR_FILENO, text, num_bytes);
}

const char* describe_nothing() noexcept { return nullptr; }

std::atomic<overflow_sink> sink = &write_to_standard_error;
std::atomic<task_describer> describer = &describe_nothing;

// protects the three variables below from other scopes, not from the handler
std::mutex handler_mutex;
std::size_t num_scopes = 0;
bool is_installed = false;
struct sigaction previous_action;

// A line of text on the signal stack. Text that does not fit is cut off.
class line {
 public:
  void add(std::string_view text) noexcept {
    size_ += text.copy(text_.data() + size_, text_.size() - size_);
  }

  void add_number(std::uintptr_t value, int base) noexcept {
    std::array<char, 24> digits{};
    const auto [end, code] = std::to_chars(digits.begin(), digits.end(), value, base);
    add({digits.data(), static_cast<std::size_t>(end - digits.data())});
  }

  [[nodiscard]] std::string_view text() const noexcept { return {text_.data(), size_}; }

 private:
  std::array<char, 1024> text_;
  std::size_t size_ = 0;
};

void report(const guard_hit& hit) noexcept {
  line message;
  message.add("weft: stack overflow in a task: stack of ");
  message.add_number(hit.stack_size_bytes / 1024, 10);
  message.add(" KiB at 0x");
  message.add_number(hit.stack_low, 16);
  message.add("; raise it with --weft:stack-size or WEFT_STACK_SIZE, or recurse less deeply");
  if (const char* const task = describer.load()(); task != nullptr) {
    message.add("\n  ");
    message.add(task);
  }
  message.add("\n");
  sink.load()(message.text().data(), message.text().size());
}

// A fault happens again as soon as the handler returns, and then meets the previous handler. A
// signal that was sent by a process must be sent again.
void forward_to_previous(int signal, const siginfo_t& info) noexcept {
  sigaction(signal, &previous_action, nullptr);
  if (info.si_code <= 0) {
    raise(signal);
  }
}

void chain(int signal, siginfo_t* info, void* context) {
  if ((previous_action.sa_flags & SA_SIGINFO) != 0) {
    previous_action.sa_sigaction(signal, info, context);
  } else if (previous_action.sa_handler == SIG_DFL || previous_action.sa_handler == SIG_IGN) {
    forward_to_previous(signal, *info);
  } else {
    previous_action.sa_handler(signal);
  }
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const int errno_before = errno;
  // si_addr is an address only if the kernel raised the signal
  const auto hit = info->si_code > 0 ? find_guard(info->si_addr) : std::nullopt;
  if (hit) {
    report(*hit);
    forward_to_previous(signal, *info);
  } else {
    chain(signal, info, context);
  }
  errno = errno_before;
}

void install_handler() noexcept {
  if (is_installed) {
    return;
  }
  struct sigaction ours = {};
  ours.sa_sigaction = &on_fault;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  // Queried first: our handler must not run before it knows the previous handler.
  sigaction(SIGSEGV, nullptr, &previous_action);
  sigaction(SIGSEGV, &ours, nullptr);
  is_installed = true;
}

// If another handler has been installed on top, it may chain to ours, which then has to stay.
void remove_handler() noexcept {
  struct sigaction current = {};
  sigaction(SIGSEGV, nullptr, &current);
  if ((current.sa_flags & SA_SIGINFO) != 0 && current.sa_sigaction == &on_fault) {
    sigaction(SIGSEGV, &previous_action, nullptr);
    is_installed = false;
  }
}

std::size_t signal_stack_size_bytes() {
  constexpr long least_bytes = 64L * 1024;  // vector registers alone may take 11 KiB
  return static_cast<std::size_t>(std::max(least_bytes, sysconf(_SC_SIGSTKSZ)));
}

}  // namespace

void set_overflow_sink(overflow_sink replacement) noexcept {
  sink = replacement != nullptr ? replacement : &write_to_standard_error;
}

void set_task_describer(task_describer describe) noexcept {
  describer = describe != nullptr ? describe : &describe_nothing;
}

overflow_handler_thread_scope::overflow_handler_thread_scope() {
  signal_stack_.ss_size = signal_stack_size_bytes();
  signal_stack_.ss_sp = mmap(
      nullptr, signal_stack_.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (signal_stack_.ss_sp == MAP_FAILED) {
    throw error("weft: no memory for a worker's signal stack (mmap: " +
                std::generic_category().message(errno) + "); start fewer workers");
  }
  sigaltstack(&signal_stack_, &previous_);
  const std::scoped_lock lock(handler_mutex);
  if (num_scopes++ == 0) {
    install_handler();
  }
}

overflow_handler_thread_scope::~overflow_handler_thread_scope() {
  {
    const std::scoped_lock lock(handler_mutex);
    if (--num_scopes == 0) {
      remove_handler();
    }
  }
  sigaltstack(&previous_, nullptr);
  munmap(signal_stack_.ss_sp, signal_stack_.ss_size);
}

}  // namespace weft::tasks::detail
