// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop by oneTBB.
#include <cstddef>
#include <vector>

#include <oneapi/tbb/parallel_for.h>

int main() {
  std::vector<int> values(1000);
  tbb::parallel_for(std::size_t{0}, values.size(), [&](std::size_t i) { values[i] = 42; });
  return values[999] == 42 ? 0 : 1;
}
