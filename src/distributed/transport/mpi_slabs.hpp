// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes of messages that are sent by MPI.
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
// slabs from one rank to another that the receiver has not taken
inline constexpr std::uint32_t window = 32;
// As many small slabs leave at once. A rank that computes learns late what the receiver has taken.
// With only one slab in flight, its next message would wait until it polls.
inline constexpr std::uint32_t most_small_in_flight = 4;
inline constexpr int most_bodies_in_flight = 8192;
inline constexpr int most_tested = 64;
inline constexpr std::size_t most_spare = 64;
inline constexpr std::size_t piece_bytes = std::size_t{1} << 30;
// before a rank is told how many of its slabs were taken
inline constexpr unsigned most_polls_owed = 8;
inline constexpr int least_tag_bound = 0x7fff;  // the least that MPI guarantees

struct slab_header {
  std::uint32_t num_taken;   // slabs of the other direction
  std::uint32_t size_bytes;  // of the frames; 0: the slab only carries `num_taken`
};
static_assert(sizeof(slab_header) == 8);

constexpr std::uint32_t num_pieces(std::size_t size) noexcept {
  return static_cast<std::uint32_t>((size + piece_bytes - 1) / piece_bytes);
}

/// Tags are the numbers of bodies, in as many bits as MPI allows. A tag is reused only long after
/// the body that had it was received.
constexpr std::uint32_t tag_mask_for(int largest_tag) noexcept {
  return std::bit_floor(static_cast<std::uint32_t>(std::max(largest_tag, least_tag_bound)) + 1) - 1;
}

/// True if a rank that has taken `former` of `num_sent` slabs may report that it took `told`.
constexpr bool is_possible_count(std::uint32_t told,
                                 std::uint32_t former,
                                 std::uint32_t num_sent) noexcept {
  return told - former <= num_sent - former;  // the counts wrap around
}

/// True if a frame that is sent as a body may have this size.
constexpr bool is_possible_frame(std::uint64_t size) noexcept {
  return size >= sizeof(frame_header) && size % 8 == 0 &&
         size <= std::numeric_limits<std::uint32_t>::max();
}

}  // namespace weft::distributed::detail
