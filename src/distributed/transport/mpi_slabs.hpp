// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes of what goes through MPI.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "weft/distributed/detail/message.hpp"

namespace weft::distributed::detail {

inline constexpr std::size_t slab_bytes = 16384;
inline constexpr std::size_t num_slots = 16;
inline constexpr std::uint32_t window = 32;  // slabs of a pair of ranks that were not taken
inline constexpr int most_bodies_in_flight = 8192;
inline constexpr int most_tested = 64;
inline constexpr std::size_t most_spare = 64;
inline constexpr std::size_t piece_bytes = std::size_t{1} << 30;
inline constexpr unsigned most_polls_owed = 8;  // before a rank is told what was taken
inline constexpr int least_tag_bound = 0x7fff;  // that MPI grants

struct slab_header {
  std::uint32_t num_taken;   // slabs of the other direction
  std::uint32_t size_bytes;  // of the frames; 0: it only tells the above
};
static_assert(sizeof(slab_header) == 8);

constexpr std::uint32_t num_pieces(std::size_t size) noexcept {
  return static_cast<std::uint32_t>((size + piece_bytes - 1) / piece_bytes);
}

/// Tags are numbers of bodies, of as many bits as MPI lets them have: a tag is used again only when
/// the body that had it is long gone.
constexpr std::uint32_t tag_mask_for(int largest_tag) noexcept {
  return std::bit_floor(static_cast<std::uint32_t>(std::max(largest_tag, least_tag_bound)) + 1) - 1;
}

/// True if a rank that took `former` of `num_sent` slabs may say that it took `told`.
constexpr bool is_possible_count(std::uint32_t told,
                                 std::uint32_t former,
                                 std::uint32_t num_sent) noexcept {
  return told - former <= num_sent - former;  // they wrap around
}

/// True if a frame that goes as a body may be so large.
constexpr bool is_possible_frame(std::uint64_t size) noexcept {
  return size >= sizeof(frame_header) && size % 8 == 0 &&
         size <= std::numeric_limits<std::uint32_t>::max();
}

}  // namespace weft::distributed::detail
