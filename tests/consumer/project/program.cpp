// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program outside the tree that uses three of weft's modules.
#include <cstdio>
#include <vector>

#include <weft/algorithms/for_each.hpp>
#include <weft/counters/registry.hpp>
#include <weft/tasks/fork_join.hpp>

int main() {
  const auto [x, y] = weft::fork_join([] { return 40; }, [] { return 2; });
  std::printf("%d, and %zu counters\n", x + y, weft::counters::process_counters().types().size());
  std::vector<int> values(1000, 41);
  weft::for_each(weft::par, values.begin(), values.end(), [](int& v) { ++v; });
  return x + y == values.back() && !weft::counters::process_counters().types().empty() ? 0 : 1;
}
