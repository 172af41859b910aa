// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A shared object that holds weft: its thread-local variables must be reachable when it is loaded
// late.
#include <weft/tasks/fork_join.hpp>

static long sum_below(long n) {
  if (n <= 1) {
    return 0;
  }
  const long half = n / 2;
  const auto [low, high] = weft::fork_join([&] { return sum_below(half); },
                                           [&] { return sum_below(n - half) + (n - half) * half; });
  return low + high;
}

extern "C" long plugin_sum_below(long n) { return sum_below(n); }
