// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that includes <weft/weft.hpp>, which has all of weft but halo.
#include <vector>

#include <weft/weft.hpp>

int main() {
  const std::vector<int> ones(1000, 1);
  return weft::reduce(weft::par, ones.begin(), ones.end()) == 1000 ? 0 : 1;
}
