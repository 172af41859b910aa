// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program to look at: `target busy|long|deadlock|idle|pools`. It prints "ready" when it is what
// it is meant to be, and goes on until it is killed; `pools` ends by itself.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <string_view>
#include <thread>

#include <unistd.h>
#include <weft/tasks/async.hpp>
#include <weft/tasks/fork_join.hpp>
#include <weft/tasks/future.hpp>
#include <weft/tasks/promise.hpp>
#include <weft/tasks/runtime.hpp>

#include "tests/support/sanitizer.hpp"

namespace {

void say_ready() {
  std::puts("ready");
  std::fflush(stdout);
}

int hot_fib(int n) {
  if (n < 2) {
    return n;
  }
  auto [x, y] = weft::fork_join([n] { return hot_fib(n - 1); }, [n] { return hot_fib(n - 2); });
  return x + y;
}

[[noreturn]] void be_busy() {
  auto& workers = weft::default_runtime();
  // Sanitizers make a task several times as slow.
  workers.run([] { return hot_fib(weft::test::is_sanitized ? 22 : 26); });
  say_ready();
  for (;;) {
    workers.run([] { return hot_fib(24); });
  }
}

void spin() {
  for (volatile unsigned turns = 0;;) {
    turns = turns + 1;
  }
}

void be_long() {
  const auto never = weft::async(spin);
  say_ready();
  never.wait();
}

/// Two tasks that wait for what only the other one would give.
void be_deadlocked() {
  weft::promise<int> first;
  weft::promise<int> second;
  auto from_first = first.get_future();
  auto from_second = second.get_future();
  const auto one = weft::async([&] { second.set_value(from_first.get()); });
  const auto other = weft::async([&] { first.set_value(from_second.get()); });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  say_ready();
  one.wait();
  other.wait();
}

void be_idle() {
  (void)hot_fib(10);
  say_ready();
  ::pause();
}

/// Runtimes that come and go, for long enough to be seen on a busy machine.
void be_pools() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (std::chrono::steady_clock::now() < end) {
    weft::runtime own;
    (void)own.run([] { return hot_fib(18); });
  }
  say_ready();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc == 2 ? argv[1] : "";
  if (what == "busy") {
    be_busy();
  } else if (what == "long") {
    be_long();
  } else if (what == "deadlock") {
    be_deadlocked();
  } else if (what == "idle") {
    be_idle();
  } else if (what == "pools") {
    be_pools();
  } else {
    std::fputs("what to be? busy, long, deadlock, idle or pools\n", stderr);
    return 2;
  }
  return 0;
}
