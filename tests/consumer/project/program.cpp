// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program outside the tree that uses two of weft's modules.
#include <cstdio>

#include <weft/counters/catalog.hpp>
#include <weft/tasks/fork_join.hpp>

int main() {
  const auto [x, y] = weft::fork_join([] { return 40; }, [] { return 2; });
  std::printf("%d, and %zu counters\n", x + y, weft::counters::catalog().size());
  return x + y == 42 && !weft::counters::catalog().empty() ? 0 : 1;
}
