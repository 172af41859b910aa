// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Five of weft's parallel algorithms.
#include <functional>
#include <vector>

#include <weft/algorithms/copy_if.hpp>
#include <weft/algorithms/for_each.hpp>
#include <weft/algorithms/reduce.hpp>
#include <weft/algorithms/scan.hpp>
#include <weft/algorithms/sort.hpp>

int main() {
  std::vector<double> values(1000);
  std::vector<double> some(values.size());
  weft::for_each(weft::par, values.begin(), values.end(), [](double& v) { v = 42; });
  weft::sort(weft::par, values.begin(), values.end());
  weft::inclusive_scan(weft::par, values.begin(), values.end(), some.begin());
  weft::copy_if(
      weft::par, values.begin(), values.end(), some.begin(), [](double v) { return v > 0; });
  return weft::reduce(weft::par, some.begin(), some.end(), 0.0, std::plus<>()) == 42000 ? 0 : 1;
}
