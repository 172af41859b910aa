// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The work of one task of known length.
#pragma once

#include <cstdint>

namespace weft::lab::tasks {

/// Does `steps` dependent multiplications, which no compiler can shorten; a step takes about four
/// cycles.
inline std::uint64_t busy_work(std::uint64_t seed, std::uint64_t steps) {
  std::uint64_t state = seed;
  for (std::uint64_t i = 0; i < steps; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    asm volatile("" : "+r"(state));
  }
  return state;
}

}  // namespace weft::lab::tasks
