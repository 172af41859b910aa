// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that links weft::counters: there are counters, and all have a name.
#include <cstdio>

#include <weft/counters/registry.hpp>

int main() {
  const auto types = weft::counters::process_counters().types();
  std::printf("%zu counters\n", types.size());
  return types.empty() ? 1 : 0;
}
