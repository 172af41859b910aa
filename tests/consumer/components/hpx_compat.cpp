// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program for HPX whose main is a task; one of its headers is written by hand, the other made.
#include <vector>

#include <hpx/hpx_main.hpp>
#include <hpx/parallel/algorithm.hpp>

int main() {
  const std::vector<int> ones(1000, 1);
  return hpx::reduce(hpx::execution::par, ones.begin(), ones.end(), 0) == 1000 ? 0 : 1;
}
