// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first hit in a range, looked for from the front by all.
#pragma once

#include <cstddef>
#include <type_traits>

#include "weft/algorithms/detail/loops/chunks.hpp"
#include "weft/algorithms/detail/sharing/cost_record.hpp"
#include "weft/algorithms/detail/sharing/prologue.hpp"
#include "weft/algorithms/detail/sharing/shares.hpp"

namespace weft::algorithms::detail {

/// The number of elements read between two checks for a hit further in front.
inline constexpr std::size_t search_piece_bytes = std::size_t{64} << 10U;
/// The largest chunk: when there is a hit, the search waits for all chunks in front of it.
inline constexpr std::size_t search_chunk_bytes = std::size_t{256} << 10U;

/// The requested hit: the first one, or any, so that elements in front of one need not be searched.
enum class wanted_hit : bool { first, any };

/// As `find_chunk`, for a loop that is not known to be short.
[[nodiscard]] std::size_t find_long_chunk(const loop_policy& how,
                                          const loop_shape& shape,
                                          cost_record& costs,
                                          const loop_body& scan,
                                          wanted_hit wanted);

/// Positions that are searched before anything is measured, where one is known to take little time:
/// many searches end there.
inline constexpr std::size_t search_head = 16;
inline constexpr float cheap_to_search_ns = 60;

template <wanted_hit wanted, class How, class Scan>
[[gnu::noinline]] std::size_t find_long_chunk_of(const How& how,
                                                 const loop_shape& shape,
                                                 cost_record& costs,
                                                 const handed_body<Scan> scan) {
  if (!may_be_short<How> || shape.n <= search_head || shape.multiple_of != 1 ||
      costs.ns_per_element() > cheap_to_search_ns) {
    return find_long_chunk(how, shape, costs, loop_body(scan), wanted);
  }
  const std::size_t found = scan(0, search_head);
  if (found != search_head) {
    return found;
  }
  const auto behind_head = [&scan](std::size_t first, std::size_t last) {
    return scan(first + search_head, last + search_head) - search_head;
  };
  const loop_shape rest{.n = shape.n - search_head, .bytes_per_element = shape.bytes_per_element};
  const std::size_t hit = find_long_chunk(how, rest, costs, loop_body(behind_head), wanted);
  return wanted == wanted_hit::first || hit == rest.n ? hit + search_head : hit;
}

/// The least hit in [0, n), or n: `scan(first, last)` gives the least hit of a chunk, or `last`.
///
/// Chunks are taken from the front; those behind a hit are left. If any hit will do, the result is
/// less than n, and no more is known of it.
template <wanted_hit wanted = wanted_hit::first, class How, class Scan>
[[gnu::always_inline]] inline std::size_t find_chunk(const How& how,
                                                     loop_shape shape,
                                                     cost_record& costs,
                                                     Scan&& scan) {
  if constexpr (!How::is_parallel) {
    return scan(std::size_t{0}, shape.n);
  } else {
    if (may_be_short<How> && costs.is_short(shape.n)) [[likely]] {
      return scan(std::size_t{0}, shape.n);
    }
    return find_long_chunk_of<wanted>(
        how, shape, costs, handed_body<std::remove_reference_t<Scan>>(scan));
  }
}

}  // namespace weft::algorithms::detail
