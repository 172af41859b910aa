// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes of what goes through MPI.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::distributed::detail {

inline constexpr std::size_t slab_bytes = 16384;
inline constexpr std::size_t num_slots = 16;
inline constexpr std::uint32_t window = 32;  // slabs of a pair of ranks that were not taken
inline constexpr int most_bodies_in_flight = 8192;
inline constexpr int most_tested = 64;
inline constexpr std::size_t most_spare = 64;
inline constexpr std::size_t piece_bytes = std::size_t{1} << 30;
inline constexpr std::uint32_t tag_mask = 0x7fff;  // the least upper bound of tags that MPI grants

struct slab_header {
  std::uint32_t num_taken;   // slabs of the other direction
  std::uint32_t size_bytes;  // of the frames; 0: it only tells the above
};
static_assert(sizeof(slab_header) == 8);

constexpr std::uint32_t num_pieces(std::size_t size) noexcept {
  return static_cast<std::uint32_t>((size + piece_bytes - 1) / piece_bytes);
}

constexpr int tag_of(std::uint32_t number) noexcept { return static_cast<int>(number & tag_mask); }

}  // namespace weft::distributed::detail
