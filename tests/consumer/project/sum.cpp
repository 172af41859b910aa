// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel of a project that uses the installed weft.
#include <cstddef>
#include <vector>

#include <weft/bench.hpp>

int main(int argc, char** argv) {
  return weft::bench::run(
      argc,
      argv,
      [](std::size_t n) { return std::vector<int>(n, 1); },
      [](auto& on, const auto& in) { return on.reduce(in.begin(), in.end(), 0); });
}
