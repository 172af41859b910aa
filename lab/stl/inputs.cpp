// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The balanced random sequence of positions.
#include "lab/stl/inputs.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::lab::stl {
namespace {

std::uint32_t reversed_bits(std::uint32_t value) {
  std::uint32_t reversed = 0;
  for (int bit = 0; bit < 32; ++bit) {
    reversed = (reversed << 1U) | (value & 1U);
    value >>= 1U;
  }
  return reversed;
}

}  // namespace

std::vector<std::size_t> balanced_positions(std::size_t size,
                                            std::size_t count,
                                            std::uint64_t seed) {
  const auto shift = static_cast<std::uint32_t>(random_bits(seed).next() >> 32U);
  std::vector<std::size_t> positions(count);
  for (std::size_t i = 0; i < count; ++i) {
    // A fraction of 2^32; unsigned wrap-around is the shift modulo 1.
    const std::uint64_t fraction =
        static_cast<std::uint32_t>(reversed_bits(static_cast<std::uint32_t>(i)) + shift);
    positions[i] = (fraction * size) >> 32U;  // exact for size <= 2^32
  }
  return positions;
}

}  // namespace weft::lab::stl
