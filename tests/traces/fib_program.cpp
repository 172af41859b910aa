// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks of every kind on a runtime, and what its counters say of them: "TASKS PHASES".
#include <cstdint>
#include <exception>
#include <iostream>

#include "weft/counters/session.hpp"
#include "weft/tasks/async.hpp"
#include "weft/tasks/fork_join.hpp"
#include "weft/tasks/latch.hpp"
#include "weft/tasks/runtime.hpp"

namespace {

std::uint64_t fib_by_futures(unsigned n) {
  if (n < 2) {
    return n;
  }
  auto first = weft::async([n] { return fib_by_futures(n - 1); });
  const std::uint64_t second = fib_by_futures(n - 2);
  return first.get() + second;
}

std::uint64_t fib_by_forks(unsigned n) {
  if (n < 2) {
    return n;
  }
  const auto [first, second] =
      weft::fork_join([n] { return fib_by_forks(n - 1); }, [n] { return fib_by_forks(n - 2); });
  return first + second;
}

/// Two tasks of which one waits for the other, however many workers there are.
void meet() {
  weft::latch met(2);
  auto one = weft::async([&] { met.arrive_and_wait(); });
  auto other = weft::async([&] { met.arrive_and_wait(); });
  one.get();
  other.get();
}

int run(int argc, char** argv) {
  weft::init(argc, argv);
  weft::counters::session session{"/threads/count/cumulative", "/threads/count/cumulative-phases"};
  constexpr unsigned n = 14;
  constexpr std::uint64_t expected = 377;
  const std::uint64_t by_futures = weft::async([] { return fib_by_futures(n); }).get();
  const std::uint64_t by_forks = weft::async([] { return fib_by_forks(n); }).get();
  weft::async(meet).get();
  const auto counted = session.evaluate();
  std::cout << counted.number_of("/threads/count/cumulative") << ' '
            << counted.number_of("/threads/count/cumulative-phases") << '\n';
  return by_futures == expected && by_forks == expected ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << '\n';
    return 1;
  }
}
