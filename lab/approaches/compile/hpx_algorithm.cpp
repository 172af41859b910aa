// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop by hpx::for_each.
#include <vector>

#include <hpx/algorithm.hpp>
#include <hpx/execution.hpp>

int main() {
  std::vector<int> values(1000);
  hpx::for_each(hpx::execution::par, values.begin(), values.end(), [](int& v) { v = 42; });
  return values[999] == 42 ? 0 : 1;
}
