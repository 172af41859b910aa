// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that links weft::counters: there are counters, and all have a name.
#include <algorithm>
#include <cstdio>

#include <weft/counters/registry.hpp>

int main() {
  const auto types = weft::counters::process_counters().types();
  std::printf("%zu counters\n", types.size());
  const bool all_named =
      std::ranges::none_of(types, [](const auto& type) { return type.name.empty(); });
  return !types.empty() && all_named ? 0 : 1;
}
