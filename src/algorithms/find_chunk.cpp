// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Searches by all workers, for all policies and scans.
#include "weft/algorithms/detail/loops/find_chunk.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>

#include "weft/algorithms/detail/loops/chunks.hpp"
#include "weft/algorithms/detail/sharing/cost_record.hpp"
#include "weft/algorithms/detail/sharing/ordered_claims.hpp"
#include "weft/algorithms/detail/sharing/prologue.hpp"
#include "weft/algorithms/detail/sharing/search_claims.hpp"
#include "weft/algorithms/detail/sharing/shares.hpp"

namespace weft::algorithms::detail {
namespace {

/// Returns how many elements read so many bytes, rounded up to a multiple that chunks may have.
[[nodiscard]] std::size_t elements_of(std::size_t bytes, const loop_shape& shape) noexcept {
  const std::size_t count = bytes / std::max<std::size_t>(shape.bytes_per_element, 1);
  return round_up(std::max<std::size_t>(count, 1), shape.multiple_of);
}

/// Returns the size of chunks if the policy sets none: a power of two times the unit. So calls with
/// slightly different timings get the same chunks.
[[nodiscard]] std::size_t search_chunk_size(const chunk_plan& plan,
                                            const loop_shape& shape) noexcept {
  constexpr std::size_t chunks_per_share = 8;
  constexpr std::size_t most_chunks_per_share = 1024;  // however long an element seemed to take
  const std::size_t rest = plan.n - plan.first;
  const std::size_t least = rest / (most_chunks_per_share * plan.max_shares);
  const std::size_t most = std::min({std::max(2 * plan.rule.min_size, least),
                                     elements_of(search_chunk_bytes, shape),
                                     rest / (chunks_per_share * plan.max_shares)});
  const std::size_t unit = std::max<std::size_t>(shape.multiple_of, 1);
  return unit * std::bit_floor(std::max<std::size_t>(most / unit, 1));
}

/// Searches a chunk piece by piece, until a hit in front of it is known.
void search_chunk(const tile& chunk,
                  std::size_t piece_size,
                  const loop_body& scan,
                  search_claims& claims) {
  for (std::size_t first = chunk.first; first < chunk.last && first < claims.end();) {
    const std::size_t last = first + std::min(piece_size, chunk.last - first);
    const std::size_t found = scan(first, last);
    if (found != last) {
      claims.end_at(found);
      return;
    }
    first = last;
  }
}

/// Returns the least hit in the part that the beginning of the loop left, or n. The library chooses
/// the chunks.
[[nodiscard]] std::size_t find_by_all(const loop_policy& how,
                                      const loop_shape& shape,
                                      const chunk_plan& plan,
                                      cost_record& costs,
                                      const loop_body& scan) {
  search_claims claims(plan.first, plan.n, search_chunk_size(plan, shape), plan.max_shares);
  const std::size_t piece_size = elements_of(search_piece_bytes, shape);
  const auto visit = [&scan, &claims, piece_size](const tile& chunk) {
    search_chunk(chunk, piece_size, scan, claims);
    return true;
  };
  share_claims(how, plan, costs, claims, chunk_visit(visit));
  return claims.end();
}

/// As find_by_all, but any hit will do: returns 0 for a hit. Each worker searches its own part in
/// order, and all stop at the first hit.
[[nodiscard]] std::size_t find_any_by_all(const loop_policy& how,
                                          const loop_shape& shape,
                                          const chunk_plan& plan,
                                          cost_record& costs,
                                          const loop_body& scan) {
  parted_claims claims(
      plan.first, plan.n, {.min_size = search_chunk_size(plan, shape)}, plan.max_shares);
  const std::size_t piece_size = elements_of(search_piece_bytes, shape);
  // relaxed: a flag that orders nothing; region() orders the rest
  std::atomic<bool> is_found{false};
  const auto visit = [&scan, &is_found, piece_size](const tile& chunk) {
    for (std::size_t first = chunk.first; first < chunk.last;) {
      if (is_found.load(std::memory_order_relaxed)) {
        return false;
      }
      const std::size_t last = first + std::min(piece_size, chunk.last - first);
      if (scan(first, last) != last) {
        is_found.store(true, std::memory_order_relaxed);
        return false;
      }
      first = last;
    }
    return true;
  };
  share_claims(how, plan, costs, claims, chunk_visit(visit));
  return is_found.load(std::memory_order_relaxed) ? 0 : plan.n;
}

/// Returns the least hit, in chunks of the size that the policy sets, taken from the front.
[[nodiscard]] std::size_t find_in_chosen_chunks(const loop_policy& how,
                                                chunk_plan plan,
                                                cost_record& costs,
                                                const loop_body& scan) {
  constexpr std::size_t chunks_per_share = 16;  // the last chunks searched may lie after the hit
  plan.rule.divisor = plan.rule.divisor == 0 ? 0 : chunks_per_share * plan.max_shares;
  // relaxed: a number that orders nothing; region() orders the rest
  std::atomic<std::size_t> best{plan.n};
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
  share_in_order(how, plan, costs, chunk_visit(visit));
  return best.load(std::memory_order_relaxed);
}

}  // namespace

std::size_t find_long_chunk(const loop_policy& how,
                            const loop_shape& shape,
                            cost_record& costs,
                            const loop_body& scan,
                            wanted_hit wanted) {
  std::size_t hit = shape.n;
  auto look = [&](std::size_t first, std::size_t last) {
    const std::size_t found = scan(first, last);
    hit = found != last ? found : shape.n;
    return found;
  };
  const beginning so_far = begin_loop(how, shape, costs, loop_body(look));
  if (so_far.done == shape.n) {
    return hit;
  }
  const chunk_plan plan = plan_chunks(how, shape, so_far);
  if (how.chooses_chunks()) {
    return find_in_chosen_chunks(how, plan, costs, scan);
  }
  return wanted == wanted_hit::any ? find_any_by_all(how, shape, plan, costs, scan)
                                   : find_by_all(how, shape, plan, costs, scan);
}

}  // namespace weft::algorithms::detail
