// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that links weft::algorithms: one that is a template, one that is compiled in the library.
#include <numeric>
#include <vector>

#include <weft/algorithms/is_sorted.hpp>
#include <weft/algorithms/sort.hpp>

int main() {
  std::vector<int> values(100'000);
  std::iota(values.rbegin(), values.rend(), 0);
  weft::sort(weft::par, values.begin(), values.end());
  return weft::is_sorted(weft::par, values.begin(), values.end()) && values[7] == 7 ? 0 : 1;
}
