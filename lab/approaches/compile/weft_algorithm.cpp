// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop by weft::for_each.
#include <vector>

#include <weft/algorithms/for_each.hpp>

int main() {
  std::vector<int> values(1000);
  weft::for_each(weft::par, values.begin(), values.end(), [](int& v) { v = 42; });
  return values[999] == 42 ? 0 : 1;
}
