// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One value from many elements: a value per chunk, combined in the order of the chunks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/algorithms/detail/loops/chunks.hpp"

namespace weft::algorithms::detail {

/// Chunks of a deterministic reduction: a number that depends on n alone.
inline constexpr std::size_t num_fixed_chunks = 256;
inline constexpr std::size_t min_fixed_chunk = 2048;

/// Tiles of one size in [first, n), and the values that are known of them.
template <class T>
struct tile_values {
  std::size_t first;
  std::size_t n;
  std::size_t size;
  std::size_t max_shares;
  std::vector<std::optional<T>> known;  // empty if there was no memory

  [[nodiscard]] std::size_t num_tiles() const noexcept { return ceil_div(n - first, size); }

  /// The value of tile `i`, perhaps by `map` on the spot.
  template <class Map>
  [[nodiscard]] T take(std::size_t i, Map& map) {
    if (!known.empty()) {
      return *std::move(known[i]);  // NOLINT(bugprone-unchecked-optional-access): all are there
    }
    const std::size_t begin = first + i * size;
    return map(begin, std::min(n, begin + size));
  }

  /// The values of tiles [begin, end), combined in order, as a tree whose shape depends on their
  /// number alone.
  template <class Map, class Combine>
  [[nodiscard, gnu::noinline]] T combined(std::size_t begin,
                                          std::size_t end,
                                          Map& map,
                                          Combine& combine) {
    if (end - begin == 1) {
      return take(begin, map);
    }
    const std::size_t middle = begin + (end - begin) / 2;
    T left = combined(begin, middle, map, combine);
    return combine(std::move(left), combined(middle, end, map, combine));
  }
};

/// The value of [first, n) by tiles of `size`; all that come take part. Without memory for the
/// values of tiles, the caller does all.
template <class T, class Map, class Combine>
[[nodiscard]] T reduce_tiles(
    const loop_policy& how, tile_values<T> tiles, cost_record& costs, Map& map, Combine& combine) {
  const std::size_t num_tiles = tiles.num_tiles();
  if (tiles.max_shares > 1 && num_tiles > 1) {
    try {
      tiles.known.resize(num_tiles);
    } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): see above
    }
  }
  if (!tiles.known.empty()) {
    const auto visit = [&tiles, &map](const tile& chunk) {
      const std::size_t index = (chunk.first - tiles.first) / tiles.size;
      tiles.known[index].emplace(map(chunk.first, chunk.last));
      return true;
    };
    share_chunks(how,
                 chunk_plan{.first = tiles.first,
                            .n = tiles.n,
                            .num_cores = tiles.max_shares,
                            .max_shares = std::min(tiles.max_shares, num_tiles),
                            .rule = {.min_size = tiles.size}},
                 costs,
                 chunk_visit(visit));
  }
  return tiles.combined(0, num_tiles, map, combine);
}

/// Same chunks and same tree, whichever workers run.
template <class T, class How, class Map, class Combine>
[[gnu::noinline]] T reduce_fixed_chunks(
    const How& how, const loop_shape& shape, cost_record& costs, Map& map, Combine& combine) {
  const std::size_t wanted = std::max(min_fixed_chunk, ceil_div(shape.n, num_fixed_chunks));
  const bool is_short = !How::is_parallel || (may_be_short<How> && costs.is_short(shape.n));
  const tick_watch watch;
  T result = reduce_tiles<T>(how,
                             {.first = 0,
                              .n = shape.n,
                              .size = round_up(wanted, shape.multiple_of),
                              .max_shares = is_short ? 1 : num_shares(how),
                              .known = {}},
                             costs,
                             map,
                             combine);
  if (!is_short) {
    let_go_untimed(untimed_ns);
    costs.note(shape.n, watch.elapsed_ns(ns_per_tick()));
  }
  return result;
}

template <class T, class How, class Map, class Combine>
[[gnu::noinline]] T reduce_long_chunks(const How& how,
                                       loop_shape shape,
                                       cost_record& costs,
                                       const handed_body<Map> map,
                                       Combine& combine) {
  constexpr std::size_t tiles_per_share = 8;
  std::optional<T> sum;
  auto add = [&](std::size_t first, std::size_t last) {
    T next = map(first, last);
    if (sum) {
      T both = combine(std::move(*sum), std::move(next));
      sum.emplace(std::move(both));
    } else {
      sum.emplace(std::move(next));
    }
  };
  const beginning so_far = begin_unordered_loop(how, shape, costs, loop_body(add));
  if (so_far.done == shape.n) {
    return *std::move(sum);  // NOLINT(bugprone-unchecked-optional-access): n > 0
  }
  const chunk_plan plan = plan_chunks(how, shape, so_far);
  const std::size_t most = ceil_div(shape.n - so_far.done, tiles_per_share * plan.max_shares);
  const std::size_t size =
      plan.rule.divisor == 0 ? plan.rule.min_size : std::max(plan.rule.min_size, most);
  T others = reduce_tiles<T>(how,
                             {.first = so_far.done,
                              .n = shape.n,
                              .size = round_up(size, shape.multiple_of),
                              .max_shares = plan.max_shares,
                              .known = {}},
                             costs,
                             map,
                             combine);
  if (!sum) {
    return others;
  }
  return combine(*std::move(sum), std::move(others));
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
    return reduce_fixed_chunks<T>(how, shape, costs, map, combine);
  } else if constexpr (!How::is_parallel) {
    return map(std::size_t{0}, shape.n);
  } else {
    if (may_be_short<How> && costs.is_short(shape.n)) [[likely]] {
      return map(std::size_t{0}, shape.n);
    }
    return reduce_long_chunks<T>(
        how, shape, costs, handed_body<std::remove_reference_t<Map>>(map), combine);
  }
}

}  // namespace weft::algorithms::detail
