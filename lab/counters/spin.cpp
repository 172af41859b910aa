// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A chain of multiplications that continues from call to call.
#include "lab/counters/spin.hpp"

#include <cstdint>

namespace weft::lab {

namespace {

thread_local std::uint64_t state = 1;

}  // namespace

void spin(std::uint64_t steps) noexcept {
  std::uint64_t product = state;
  for (std::uint64_t i = 0; i < steps; ++i) {
    product = product * 6364136223846793005U + 1442695040888963407U;
    asm volatile("" : "+r"(product));  // otherwise a compiler might compute all steps at once
  }
  state = product;
}

}  // namespace weft::lab
