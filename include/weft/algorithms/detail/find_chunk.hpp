// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first hit in a range, looked for from the front by all.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <optional>
#include <type_traits>

#include "weft/algorithms/detail/chunks.hpp"
#include "weft/algorithms/detail/cost_record.hpp"
#include "weft/algorithms/detail/ordered_claims.hpp"
#include "weft/algorithms/detail/prologue.hpp"
#include "weft/algorithms/detail/search_claims.hpp"
#include "weft/algorithms/parameters.hpp"

namespace weft::algorithms::detail {

/// What is read between two looks at whether somebody found a hit further in front.
inline constexpr std::size_t search_piece_bytes = std::size_t{64} << 10U;
/// What a chunk reads at most: when there is a hit, all wait for those who are in front of it.
inline constexpr std::size_t search_chunk_bytes = std::size_t{256} << 10U;

/// Which hit is asked for: the first one, or none in particular, so that nobody has to look through
/// what lies in front of one.
enum class wanted_hit : bool { first, any };

/// How many elements read so many bytes, as a multiple that chunks may have.
[[nodiscard]] inline std::size_t elements_of(std::size_t bytes, const loop_shape& shape) noexcept {
  const std::size_t count = bytes / std::max<std::size_t>(shape.bytes_per_element, 1);
  return round_up(std::max<std::size_t>(count, 1), shape.multiple_of);
}

/// The size of chunks where nobody chose it: a power of two units, so that calls that take a little
/// longer or less have the same chunks.
[[nodiscard]] inline std::size_t search_chunk_size(const chunk_plan& plan,
                                                   const loop_shape& shape) noexcept {
  constexpr std::size_t chunks_per_share = 8;
  const std::size_t most = std::min({2 * plan.rule.min_size,
                                     elements_of(search_chunk_bytes, shape),
                                     (plan.n - plan.first) / (chunks_per_share * plan.max_shares)});
  const std::size_t unit = std::max<std::size_t>(shape.multiple_of, 1);
  return unit * std::bit_floor(std::max<std::size_t>(most / unit, 1));
}

/// Looks through a chunk, by pieces, as long as no hit is known further in front.
template <class Scan>
void search_chunk(const tile& chunk, std::size_t piece_size, Scan& scan, search_claims& claims) {
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

/// The least hit behind what a beginning left, or n, in chunks that nobody chose.
template <class How, class Scan>
[[nodiscard]] std::size_t find_by_all(const How& how,
                                      const loop_shape& shape,
                                      const chunk_plan& plan,
                                      cost_record& costs,
                                      Scan& scan) {
  search_claims claims(plan.first, plan.n, search_chunk_size(plan, shape), plan.max_shares);
  const std::size_t piece_size = elements_of(search_piece_bytes, shape);
  const auto visit = [&scan, &claims, piece_size](const tile& chunk) {
    search_chunk(chunk, piece_size, scan, claims);
    return true;
  };
  share_claims(how, plan, costs, claims, visit);
  return claims.end();
}

/// The same where any hit will do, for which 0 stands: everybody reads a part of their own on and
/// on, and all stop at once.
template <class How, class Scan>
[[nodiscard]] std::size_t find_any_by_all(const How& how,
                                          const loop_shape& shape,
                                          const chunk_plan& plan,
                                          cost_record& costs,
                                          Scan& scan) {
  parted_claims claims(
      plan.first, plan.n, {.min_size = search_chunk_size(plan, shape)}, plan.max_shares);
  const std::size_t piece_size = elements_of(search_piece_bytes, shape);
  std::atomic<bool> is_found{false};  // relaxed: only a fact; region() orders the rest
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
  share_claims(how, plan, costs, claims, visit);
  return is_found.load(std::memory_order_relaxed) ? 0 : plan.n;
}

/// The least hit in chunks as the policy wants them, taken from the front.
template <class How, class Scan>
[[nodiscard]] std::size_t find_in_chosen_chunks(const How& how,
                                                chunk_plan plan,
                                                cost_record& costs,
                                                Scan& scan) {
  constexpr std::size_t chunks_per_share = 16;  // the last ones may be in vain
  plan.rule.divisor = plan.rule.divisor == 0 ? 0 : chunks_per_share * plan.max_shares;
  std::atomic<std::size_t> best{plan.n};  // relaxed: only a number; region() orders the rest
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

/// Whether the policy says something of how large chunks are, or how many.
template <class How>
inline constexpr bool chooses_chunks =
    has_own_chunks<How> || has_kept_chunks<How> || How::template has<auto_chunk_size> ||
    How::template has<max_num_chunks>;

template <wanted_hit wanted, class How, class Scan>
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
  const chunk_plan plan = plan_chunks(how, shape, so_far);
  if constexpr (chooses_chunks<How>) {
    return find_in_chosen_chunks(how, plan, costs, scan);
  } else if constexpr (wanted == wanted_hit::any) {
    return find_any_by_all(how, shape, plan, costs, scan);
  } else {
    return find_by_all(how, shape, plan, costs, scan);
  }
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
    return find_long_chunk<wanted>(
        how, shape, costs, handed_body<std::remove_reference_t<Scan>>(scan));
  }
}

}  // namespace weft::algorithms::detail
