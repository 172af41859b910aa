// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same five parallel algorithms of the standard library.
#include <algorithm>
#include <execution>
#include <functional>
#include <numeric>
#include <vector>

int main() {
  namespace execution = std::execution;
  std::vector<double> values(1000);
  std::vector<double> some(values.size());
  std::for_each(execution::par, values.begin(), values.end(), [](double& v) { v = 42; });
  std::sort(execution::par, values.begin(), values.end());
  std::inclusive_scan(execution::par, values.begin(), values.end(), some.begin());
  std::copy_if(
      execution::par, values.begin(), values.end(), some.begin(), [](double v) { return v > 0; });
  return std::reduce(execution::par, some.begin(), some.end(), 0.0, std::plus<>()) == 42000 ? 0 : 1;
}
