// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel of tasks: groups and forks, inside of each other and inside of a loop's place.
#include <atomic>
#include <cstddef>

#include <weft/bench.hpp>

namespace {

std::size_t fib(auto& on, std::size_t n) {
  if (n < 2) {
    return n;
  }
  std::size_t left = 0;
  std::size_t right = 0;
  on.fork_join([&] { left = fib(on, n - 1); }, [&] { right = fib(on, n - 2); });
  return left + right;
}

}  // namespace

int main(int argc, char** argv) {
  return weft::bench::run(
      argc,
      argv,
      [](std::size_t n) { return n; },
      [](auto& on, const auto& n) {
        std::atomic<std::size_t> sum = 0;
        auto group = on.task_group();
        for (std::size_t i = 0; i < n; ++i) {
          group.run([&, i] {
            auto inner = on.task_group();
            inner.run([&, i] { sum += fib(on, i % 10); });
            inner.wait();
            sum += i;
          });
        }
        group.wait();
        return sum.load();
      });
}
