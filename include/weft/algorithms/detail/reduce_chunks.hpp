// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One value from many elements: a value per chunk, combined in the order of the chunks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "weft/algorithms/detail/chunks.hpp"

namespace weft::algorithms::detail {

/// Chunks of a deterministic reduction: a number that depends on n alone.
inline constexpr std::size_t num_fixed_chunks = 256;
inline constexpr std::size_t min_fixed_chunk = 2048;

/// Combines `parts` in order, as a tree whose shape depends on their number alone.
template <class T, class Combine>
[[nodiscard]] T combine_tree(std::optional<T>* parts, std::size_t count, Combine& combine) {
  if (count == 1) {
    return *std::move(parts[0]);
  }
  const std::size_t half = count / 2;
  T left = combine_tree(parts, half, combine);
  return combine(std::move(left), combine_tree(parts + half, count - half, combine));
}

/// The value of [first, n) by tiles of `size`; all that come take part.
template <class T, class How, class Map, class Combine>
[[nodiscard]] T reduce_tiles(const How& how,
                             const loop_shape& range,
                             std::size_t first,
                             std::size_t size,
                             Map& map,
                             Combine& combine) {
  ordered_claims claims(range.n - first, size);
  std::vector<std::optional<T>> parts(claims.num_tiles());
  region(how, parts.size(), [&](std::size_t /*share*/) {
    while (const std::optional<tile> mine = claims.claim()) {
      try {
        parts[mine->index].emplace(map(first + mine->first, first + mine->last));
      } catch (...) {
        claims.stop();
        throw;
      }
    }
  });
  return combine_tree(parts.data(), parts.size(), combine);
}

/// Same chunks and same tree whoever works.
template <class T, class How, class Map, class Combine>
[[gnu::noinline]] T reduce_fixed_chunks(const How& how,
                                        const loop_shape& shape,
                                        Map& map,
                                        Combine& combine) {
  const std::size_t wanted = std::max(min_fixed_chunk, ceil_div(shape.n, num_fixed_chunks));
  return reduce_tiles<T>(how, shape, 0, round_up(wanted, shape.multiple_of), map, combine);
}

template <class T, class How, class Map, class Combine>
[[gnu::noinline]] T reduce_long_chunks(
    const How& how, const loop_shape& shape, cost_record& costs, Map& map, Combine& combine) {
  constexpr std::size_t tiles_per_share = 8;
  std::optional<T> sum;
  const auto add = [&](std::size_t first, std::size_t last) {
    T next = map(first, last);
    if (sum) {
      T both = combine(*std::move(sum), std::move(next));
      sum.emplace(std::move(both));
    } else {
      sum.emplace(std::move(next));
    }
  };
  beginning so_far;
  if constexpr (!has_own_chunks<How>) {
    loops_until_timed = 8;
    so_far = run_beginning(shape, costs, add);
    if (so_far.done == shape.n) {
      return *std::move(sum);
    }
  }
  const std::size_t rest = shape.n - so_far.done;
  const chunk_plan plan = plan_chunks(how, shape, so_far);
  const std::size_t size =
      plan.rule.divisor == 0
          ? plan.rule.min_size
          : std::max(plan.rule.min_size, ceil_div(rest, tiles_per_share * plan.max_shares));
  T others =
      reduce_tiles<T>(how, shape, so_far.done, round_up(size, shape.multiple_of), map, combine);
  return sum ? combine(*std::move(sum), std::move(others)) : others;
}

/// The value of [0, n), n > 0: `map(first, last)` of chunks, combined in order.
///
/// A deterministic policy has the same chunks, combined in the same way, for any number of workers.
template <class T, class How, class Map, class Combine>
[[gnu::always_inline]] inline T reduce_chunks(
    const How& how, loop_shape shape, cost_record& costs, Map&& map, Combine&& combine) {
  if constexpr (How::is_deterministic) {
    if (shape.n <= min_fixed_chunk) {
      return map(std::size_t{0}, shape.n);
    }
    return reduce_fixed_chunks<T>(how, shape, map, combine);
  } else if constexpr (!How::is_parallel) {
    return map(std::size_t{0}, shape.n);
  } else {
    if (!has_own_chunks<How> && costs.is_short(shape.n)) [[likely]] {
      return map(std::size_t{0}, shape.n);
    }
    return reduce_long_chunks<T>(how, shape, costs, map, combine);
  }
}

}  // namespace weft::algorithms::detail
