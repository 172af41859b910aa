// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop by OpenMP.
#include <vector>

int main() {
  std::vector<int> values(1000);
#pragma omp parallel for default(none) shared(values)
  for (int i = 0; i < 1000; ++i) {
    values[static_cast<unsigned>(i)] = 42;
  }
  return values[999] == 42 ? 0 : 1;
}
