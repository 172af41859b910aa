// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single-pass compaction: tiles tell how many elements they keep, look back for where those go, and
// put them there.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/kernels/compress.hpp"
#include "weft/algorithms/detail/kernels/keep_mask.hpp"
#include "weft/algorithms/detail/memory/scratch.hpp"
#include "weft/algorithms/detail/scanning/look_back.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"

namespace weft::algorithms::detail {

/// Outputs whose elements are objects of their own: two threads may write to neighbours, which they
/// must not with the bits of std::vector<bool>.
template <class It>
concept separate_outputs =
    indexed_iterator<It> && std::is_lvalue_reference_v<std::iter_reference_t<It>>;

/// Elements that can be set aside and put back without an exception.
template <class It>
concept movable_aside =
    separate_outputs<It> && std::is_nothrow_move_constructible_v<std::iter_value_t<It>> &&
    std::is_nothrow_move_assignable_v<std::iter_value_t<It>>;

/// Elements of a tile at most: its masks then fit on a stack with room to spare.
inline constexpr std::size_t max_compaction_tile = 8192;
using tile_masks = std::array<std::uint64_t, max_compaction_tile / mask_width>;

/// How many elements a tile has: some 64 KiB, and enough tiles for all that may come.
[[nodiscard]] inline std::size_t compaction_tile(std::size_t n,
                                                 std::size_t bytes_per_element,
                                                 std::size_t shares) noexcept {
  constexpr std::size_t cache_bytes = std::size_t{64} << 10U;
  const std::size_t in_cache = std::max(mask_width, cache_bytes / bytes_per_element);
  const std::size_t even = n / (4 * shares);
  const std::size_t size = std::min({max_compaction_tile, in_cache, even});
  return size < mask_width ? std::max<std::size_t>(size, 1) : size / mask_width * mask_width;
}

/// Moves the elements of the mask to raw memory and returns its end.
template <class It, class T>
inline T* move_aside(It first, std::uint64_t mask, T* room) noexcept {
  if (mask == full_mask) {
    return std::uninitialized_move_n(first, mask_width, room).second;
  }
  for_each_bit(mask, [&](std::size_t i) {
    std::construct_at(room, std::ranges::iter_move(advanced(first, i)));
    ++room;
  });
  return room;
}

/// As move_aside for many masks.
template <class It, class T>
inline T* move_words_aside(It first, const mask_words& which, T* room) noexcept {
  if constexpr (over_words<It>) {
    return copy_words(first, which, room);
  } else {
    for (std::size_t i = 0; i < which.num_masks; ++i) {
      room = move_aside(advanced(first, i * mask_width), which.masks[i] ^ which.flip, room);
    }
    return room;
  }
}

/// Moves `n` objects back from raw memory, and ends them there.
template <class T, class It>
inline void put_back(T* room, std::size_t n, It out) noexcept {
  std::move(room, room + n, out);
  std::destroy_n(room, n);
}

/// Fills the masks of a tile and returns how many elements it keeps. Where a tile changes what a
/// later one looks at, `work.mask` must not care.
template <class Work>
[[nodiscard]] std::size_t fill_masks(Work& work, const tile& t, tile_masks& masks) {
  std::size_t count = 0;
  for (std::size_t i = t.first, word = 0; i < t.last; i += mask_width, ++word) {
    const std::uint64_t mask = work.mask(i, std::min(mask_width, t.last - i), t.first);
    masks[word] = mask;
    count += static_cast<std::size_t>(std::popcount(mask));
  }
  return count;
}

/// The part of [first, last) that is a multiple of 64; returns where that ends.
template <class Work>
[[gnu::noinline]] std::size_t compact_words_in_order(Work& work,
                                                     std::size_t first,
                                                     std::size_t last,
                                                     std::size_t& kept) {
  constexpr std::size_t at_once = 32;  // which, and 16 KiB of words, lie in the nearest cache
  std::array<std::uint64_t, at_once> masks;
  while (last - first >= mask_width) {
    const std::size_t num_masks = std::min(at_once, (last - first) / mask_width);
    for (std::size_t i = 0; i < num_masks; ++i) {
      masks[i] = work.mask(first + i * mask_width, mask_width, 0);
    }
    kept += work.place_words(first, {masks.data(), num_masks, 0}, kept);
    first += num_masks * mask_width;
  }
  return first;
}

/// So many elements at most are placed one by one, faster than by a mask.
inline constexpr std::size_t few_to_compact = 32;

template <class Work>
[[gnu::always_inline]] inline void compact_one(Work& work, std::size_t i, std::size_t& kept) {
  if (work.mask(i, 1, 0) != 0) {
    work.place(i, 1, 1, kept);
    ++kept;
  } else {
    work.place(i, 1, 0, kept);
  }
}

template <class Work>
[[gnu::always_inline]] inline void compact_in_order(Work& work,
                                                    std::size_t first,
                                                    std::size_t last,
                                                    std::size_t& kept) {
  if constexpr (Work::looks_ahead) {
    if (last - first > mask_width) {
      first = compact_words_in_order(work, first, last, kept);
    }
    if (last - first <= few_to_compact || last - first == mask_width) {
      for (; first != last; ++first) {
        compact_one(work, first, kept);
      }
    } else {
      const std::uint64_t mask = work.mask(first, last - first, 0);
      work.place(first, last - first, mask, kept);
      kept += static_cast<std::size_t>(std::popcount(mask));
    }
  } else {
    for (std::size_t i = first; i < last; i += mask_width) {
      const std::size_t n = std::min(mask_width, last - i);
      const std::uint64_t mask = work.mask_after(i, n, kept);
      work.place(i, n, mask, kept);
      kept += static_cast<std::size_t>(std::popcount(mask));
    }
  }
}

/// Puts what a tile keeps behind `kept` others.
template <class Work>
inline void place_tile(Work& work, const tile& t, const tile_masks& masks, std::size_t kept) {
  const std::size_t num_full = (t.last - t.first) / mask_width;
  kept += work.place_words(t.first, {masks.data(), num_full, 0}, kept);
  const std::size_t i = t.first + num_full * mask_width;
  if (i != t.last) {
    work.place(i, t.last - i, masks[num_full], kept);
  }
}

/// A compaction from one range into others: tiles do not touch each other's elements.
template <class Work>
struct tiles_to_copy {
  explicit tiles_to_copy(Work& given, std::size_t /*tile_size*/) : work(given) {}

  /// Whether nothing in front failed.
  bool run(const tile& t, look_back<std::size_t>& counts) {
    std::plus<> add;
    std::optional<std::size_t> before = counts.try_before(t.index, add);
    if (before) {
      // in one go: what is looked at is copied while it is in the nearest cache
      compact_in_order(work, t.first, t.last, *before);
      counts.publish_prefix(t.index, *before);
      work.end_tile();
      return true;
    }
    const std::size_t count = fill_masks(work, t, masks);
    counts.publish_sum(t.index, count);
    before = counts.before(t.index, add);
    if (!before) {
      return false;
    }
    counts.publish_prefix(t.index, *before + count);
    place_tile(work, t, masks, *before);
    work.end_tile();
    return true;
  }

  Work& work;
  tile_masks masks;
};

/// A compaction within one range. The kept elements of a tile go where earlier tiles were. So each
/// tile copies its kept elements aside before it publishes their number.
template <class Work>
struct tiles_to_move {
  explicit tiles_to_move(Work& given, std::size_t tile_size) : work(given), room(tile_size) {}

  bool run(const tile& t, look_back<std::size_t>& counts) {
    std::plus<> add;
    if constexpr (Work::looks_ahead) {
      if (!work.streams) {
        std::optional<std::size_t> known = counts.try_before(t.index, add);
        if (known) {
          compact_in_order(work, t.first, t.last, *known);
          counts.publish_prefix(t.index, *known);
          return true;
        }
      }
    }
    const std::size_t count = fill_masks(work, t, masks);
    if (room.data() == nullptr) {
      return run_in_place(t, counts.before(t.index, add), count, counts);
    }
    if (!work.streams) {
      const std::optional<std::size_t> known = counts.try_before(t.index, add);
      if (known) {
        return run_in_place(t, known, count, counts);
      }
    }
    work.set_aside(t, masks, room.data());
    counts.publish_sum(t.index, count);
    const std::optional<std::size_t> before = counts.before(t.index, add);
    if (!before) {
      work.restore(t, count, room.data());
      return false;
    }
    counts.publish_prefix(t.index, *before + count);
    work.put_back(t, count, room.data(), *before);
    work.end_tile();
    return true;
  }

  Work& work;
  scratch<typename Work::value> room;
  tile_masks masks;

 private:
  bool run_in_place(const tile& t,
                    const std::optional<std::size_t>& before,
                    std::size_t count,
                    look_back<std::size_t>& counts) {
    if (!before) {
      return false;
    }
    place_tile(work, t, masks, *before);
    counts.publish_prefix(t.index, *before + count);
    return true;
  }
};

/// Where a compaction is: elements looked at, and how many of them are kept.
struct compaction_state {
  std::size_t done = 0;
  std::size_t kept = 0;
};

/// What `compact` does when others are to help; returns how many are kept in all.
template <template <class> class Tiles, class Work>
[[gnu::noinline]] std::size_t compact_in_tiles(const loop_policy& how,
                                               std::size_t n,
                                               std::size_t bytes_per_element,
                                               compaction_state at,
                                               Work& work) {
  const std::size_t shares = num_shares(how);
  const std::size_t rest = n - at.done;
  const std::size_t tile_size =
      std::min(max_compaction_tile,
               chosen_tile(how, rest, shares, compaction_tile(rest, bytes_per_element, shares)));
  ordered_claims claims(rest, tile_size);
  look_back<std::size_t> counts(claims.num_tiles(), at.kept);
  if (shares == 1 || !counts.is_ready() || !work.prepare_tiles(at, tile_size, n)) {
    compact_in_order(work, at.done, n, at.kept);
    return at.kept;
  }
  loop_facts facts{.num_elements = rest};
  facts.num_chunks.store(claims.num_tiles(), std::memory_order_relaxed);
  const auto share = [&](std::size_t /*share*/) {
    Tiles<Work> tiles(work, tile_size);
    while (const std::optional<tile> mine = claims.claim()) {
      const tile t{mine->index, mine->first + at.done, mine->last + at.done};
      try {
        if (!tiles.run(t, counts)) {
          counts.fail(t.index);
          return;
        }
      } catch (...) {
        counts.fail(t.index);
        claims.stop();
        throw;
      }
    }
  };
  region(how, std::min(shares, claims.num_tiles()), share, &facts);
  report(how,
         {.num_elements = n,
          .num_cores = shares,
          .num_chunks = claims.num_tiles(),
          .chunk_size = tile_size});
  return counts.total(claims.num_tiles());
}

/// Runs `work` over [at.done, n) and returns how many elements are kept, those before included.
///
/// `work` has these members, and those that `Tiles` needs:
/// - `mask(i, n, tile_first)` tells which of the next n elements stay.
/// - `mask_after(i, n, kept)` tells the same if that depends on where earlier elements were put.
///   Otherwise `work` has `looks_ahead`.
/// - `place(i, n, mask, kept)` and `place_words(i, masks, kept)` put the elements behind `kept`
///   others.
template <template <class> class Tiles, class How, class Work>
[[gnu::always_inline]] inline std::size_t compact(const How& how,
                                                  std::size_t n,
                                                  std::size_t bytes_per_element,
                                                  compaction_state at,
                                                  cost_record& costs,
                                                  Work& work) {
  std::size_t kept = at.kept;
  const std::size_t start = at.done;
  const loop_shape shape{n - start, bytes_per_element, mask_width};
  const std::size_t stop =
      run_front(how, shape, costs, [&work, &kept, start](std::size_t first, std::size_t last) {
        compact_in_order(work, start + first, start + last, kept);
      });
  if (stop == n - start) [[likely]] {
    return kept;
  }
  return compact_in_tiles<Tiles>(how, n, bytes_per_element, {start + stop, kept}, work);
}

}  // namespace weft::algorithms::detail
