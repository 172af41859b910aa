// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Coroutines: lazy tasks that are awaited one by one, together, or by the range.
#include <cstdio>
#include <numeric>
#include <ranges>
#include <vector>

#include <weft/tasks/async.hpp>
#include <weft/tasks/coroutine_fork.hpp>
#include <weft/tasks/lazy_task.hpp>

namespace {

// Nothing runs until somebody awaits the task.
weft::lazy_task<long> fib(int n) {
  if (n < 2) {
    co_return n;
  }
  auto [x, y] = co_await weft::fork(fib(n - 1), fib(n - 2));
  co_return x + y;
}

weft::lazy_task<long> sum_of_first(int n) {
  const std::vector<long> numbers =
      co_await weft::fork_all(std::views::iota(0, n) | std::views::transform(fib));
  co_return std::accumulate(numbers.begin(), numbers.end(), 0L);
}

weft::lazy_task<bool> check() {
  const long one = co_await fib(21);
  const long many = co_await sum_of_first(20);
  const long rest = co_await weft::async([] { return 1L; });  // futures are awaited alike
  std::printf("fib(21) is %ld, and the first 20 make %ld\n", one, many);
  co_return one == many + rest;
}

}  // namespace

int main() { return weft::blocking_wait(check()) ? 0 : 1; }
