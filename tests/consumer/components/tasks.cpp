// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that links weft::tasks: two branches that may run at once.
#include <weft/tasks/fork_join.hpp>

int main() {
  const auto [x, y] = weft::fork_join([] { return 40; }, [] { return 2; });
  return x + y == 42 ? 0 : 1;
}
