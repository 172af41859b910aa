// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same ten parallel algorithms of the standard library.
#include <algorithm>
#include <execution>
#include <numeric>
#include <vector>

int main() {
  std::vector<double> a(1000, 1.0);
  std::vector<double> b(1000);
  std::vector<double> c(2000);
  std::for_each(std::execution::par, a.begin(), a.end(), [](double& x) { x = x * 2 + 1; });
  std::transform(
      std::execution::par, a.begin(), a.end(), b.begin(), [](double x) { return x * x; });
  double sum = std::reduce(std::execution::par, a.begin(), a.end(), 0.0);
  std::sort(std::execution::par, a.begin(), a.end());
  std::inclusive_scan(std::execution::par, a.begin(), a.end(), b.begin());
  std::copy_if(std::execution::par, a.begin(), a.end(), b.begin(), [](double x) { return x > 4; });
  std::merge(std::execution::par, a.begin(), a.end(), a.begin(), a.end(), c.begin());
  sum += *std::min_element(std::execution::par, a.begin(), a.end());
  const auto large =
      std::count_if(std::execution::par, c.begin(), c.end(), [](double x) { return x > 4; });
  const bool has_three = std::find(std::execution::par, a.begin(), a.end(), 3.0) != a.end();
  return sum == 3003 && large == 0 && has_three ? 0 : 1;
}
