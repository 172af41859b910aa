// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first hit in a range, looked for from the front by all.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <optional>
#include <type_traits>

#include "weft/algorithms/detail/chunks.hpp"

namespace weft::algorithms::detail {

template <class How, class Scan>
[[gnu::noinline]] std::size_t find_long_chunk(const How& how,
                                              loop_shape shape,
                                              cost_record& costs,
                                              const handed_body<Scan> scan) {
  std::size_t hit = shape.n;
  auto look = [&](std::size_t first, std::size_t last) {
    const std::size_t found = scan(first, last);
    hit = found != last ? found : shape.n;
    return found;
  };
  const beginning so_far = begin_loop(how, shape, costs, look);
  if (so_far.done == shape.n) {
    return hit;
  }
  constexpr std::size_t chunks_per_share = 16;  // the last ones may be in vain
  chunk_plan plan = plan_chunks(how, shape, so_far);
  plan.rule.divisor = plan.rule.divisor == 0 ? 0 : chunks_per_share * plan.max_shares;
  std::atomic<std::size_t> best{shape.n};  // relaxed: only a number; region() orders the rest
  const auto visit = [&scan, &best](const tile& chunk) {
    if (chunk.first >= best.load(std::memory_order_relaxed)) {
      return false;
    }
    const std::size_t found = scan(chunk.first, chunk.last);
    if (found == chunk.last) {
      return true;
    }
    std::size_t before = best.load(std::memory_order_relaxed);
    while (found < before &&
           !best.compare_exchange_weak(before, found, std::memory_order_relaxed)) {
    }
    return false;
  };
  share_in_order(how, plan, costs, visit);
  return best.load(std::memory_order_relaxed);
}

/// The least hit in [0, n), or n: `scan(first, last)` gives the least hit of a chunk, or `last`.
///
/// Chunks are taken from the front; those behind a hit are left.
template <class How, class Scan>
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
    return find_long_chunk(how, shape, costs, handed_body<std::remove_reference_t<Scan>>(scan));
  }
}

}  // namespace weft::algorithms::detail
