// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Samples counters while tasks run: two sessions at once, each with a beginning of its own.
#include <chrono>
#include <cstdio>

#include <weft/counters/session.hpp>
#include <weft/tasks/async.hpp>
#include <weft/tasks/fork_join.hpp>
#include <weft/tasks/future.hpp>

namespace {

using std::chrono::milliseconds;
using weft::counters::after_reading;
using weft::counters::session;

constexpr int size = 28;
constexpr const char* num_tasks = "/threads{locality#0/total}/count/cumulative";

long fib(int n) {
  if (n < 2) {
    return n;
  }
  auto [first, second] = weft::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return first + second;
}

}  // namespace

int main() {
  session whole{num_tasks, "/threads{locality#0/total}/time/average"};
  session interval{num_tasks};

  auto result = weft::async([] { return fib(size); });
  double sum = 0;
  bool is_done = false;
  while (!is_done) {
    is_done = result.wait_for(milliseconds(1)) == weft::future_status::ready;
    const auto now = interval.evaluate(after_reading::reset);  // the other session sees no reset
    sum += now.number_of(num_tasks);
    std::printf("%10.0f tasks more\n", now.number_of(num_tasks));
  }

  const auto all = whole.evaluate();
  for (const auto& each : all.values) {
    std::printf("%s: %s\n", each.name.c_str(), to_string(each).c_str());
  }
  const double num_forked = static_cast<double>(fib(size + 1) - 1);
  const bool is_exact = all.number_of(num_tasks) == num_forked + 1 && sum == num_forked + 1;
  std::printf(
      "fib(%d) = %ld: %.0f tasks were forked, one was started\n", size, result.get(), num_forked);
  return is_exact ? 0 : 1;
}
