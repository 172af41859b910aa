// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ten of weft's parallel algorithms, by the header of all.
#include <vector>

#include <weft/algorithms.hpp>

int main() {
  std::vector<double> a(1000, 1.0);
  std::vector<double> b(1000);
  std::vector<double> c(2000);
  weft::for_each(weft::par, a.begin(), a.end(), [](double& x) { x = x * 2 + 1; });
  weft::transform(weft::par, a.begin(), a.end(), b.begin(), [](double x) { return x * x; });
  double sum = weft::reduce(weft::par, a.begin(), a.end(), 0.0);
  weft::sort(weft::par, a.begin(), a.end());
  weft::inclusive_scan(weft::par, a.begin(), a.end(), b.begin());
  weft::copy_if(weft::par, a.begin(), a.end(), b.begin(), [](double x) { return x > 4; });
  weft::merge(weft::par, a.begin(), a.end(), a.begin(), a.end(), c.begin());
  sum += *weft::min_element(weft::par, a.begin(), a.end());
  const auto large = weft::count_if(weft::par, c.begin(), c.end(), [](double x) { return x > 4; });
  const bool has_three = weft::find(weft::par, a.begin(), a.end(), 3.0) != a.end();
  return sum == 3003 && large == 0 && has_three ? 0 : 1;
}
