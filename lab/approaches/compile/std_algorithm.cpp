// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop by the parallel algorithms of the standard library.
#include <algorithm>
#include <execution>
#include <vector>

int main() {
  std::vector<int> values(1000);
  std::for_each(std::execution::par, values.begin(), values.end(), [](int& v) { v = 42; });
  return values[999] == 42 ? 0 : 1;
}
