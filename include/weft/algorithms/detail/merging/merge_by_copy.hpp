// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merges of two ranges of small trivial values side by side, through a copy.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <optional>
#include <utility>

#include <sched.h>

#include "weft/algorithms/detail/loops/chunks.hpp"
#include "weft/algorithms/detail/memory/scratch.hpp"
#include "weft/algorithms/detail/merging/buffered_merge.hpp"
#include "weft/algorithms/detail/merging/merge_choice.hpp"
#include "weft/algorithms/detail/merging/merge_path.hpp"
#include "weft/algorithms/detail/sharing/ordered_claims.hpp"
#include "weft/algorithms/detail/sharing/tasks.hpp"

namespace weft::algorithms::detail {

/// Merges `all`, whose result is raw memory, in `num_parts` parts; one is the caller's.
template <class How, class Lane, class Compare>
void merge_to_room(const How& how, const Lane& all, std::size_t num_parts, Compare& comp) {
  const std::size_t n = all.size();
  static constinit merge_choices choices;
  for_tasks(how, num_parts, [&](std::size_t i) {
    merge_piece(all, part_begin(n, num_parts, i), part_begin(n, num_parts, i + 1), comp, choices);
  });
}

/// The number of parts that `n` elements are cut into for this many workers.
[[nodiscard]] inline std::size_t num_parts_of(std::size_t n, std::size_t shares) {
  return shares == 1 ? 1 : std::clamp<std::size_t>(n >> 12U, 1, 8 * shares);
}

template <class How, class T>
void copy_in_parts(const How& how, const T* from, std::size_t n, T* to, std::size_t num_parts) {
  for_tasks(how, num_parts, [=](std::size_t i) {
    const std::size_t first = part_begin(n, num_parts, i);
    std::copy_n(from + first, part_begin(n, num_parts, i + 1) - first, to + first);
  });
}

/// Two sorted ranges side by side.
template <class T>
struct side_by_side {
  T* data;
  std::size_t middle;
  std::size_t n;

  /// Their merge, whose result is raw memory for `n` values.
  [[nodiscard]] merge_lane<const T*, const T*, T*> into(T* room) const {
    return {data, middle, data + middle, n - middle, room};
  }
};

/// From how many elements on a comparison that throws leaves all as it was, and others may help.
inline constexpr std::size_t merge_many_from = 1U << 12U;
/// From how many on a copy of all would not stay in a cache.
inline constexpr std::size_t behind_copy_from = 1U << 18U;

/// Through a copy of all, in as few parts of a short range as there are workers: see
/// merge_in_parts. False: memory was short.
template <class How, class T, class Compare>
[[nodiscard]] bool merge_by_copy_of_all(const How& how,
                                        const side_by_side<T>& in,
                                        std::size_t shares,
                                        Compare& comp) {
  const scratch<T> room(in.n);
  if (!room) {
    return false;
  }
  const std::size_t num_parts =
      in.n < merge_choices::too_many_from ? shares : num_parts_of(in.n, shares);
  merge_to_room(how, in.into(room.data()), num_parts, comp);
  copy_in_parts(how, room.data(), in.n, in.data, num_parts);
  return true;
}

/// By the caller, through a copy of the first range or of all. False: memory was short.
template <class T, class Compare>
[[nodiscard]] bool merge_few_by_copy(const side_by_side<T>& in, Compare& comp) {
  static constinit merge_choices choices;
  merge_choice& choice = choices.of(in.n);
  const merge_choice::turn mine = choice.next(in.n);
  constexpr bool may_throw = order_of<Compare, T>() == key_order::none;
  const bool copies_first = mine.takes_branches && (!may_throw || in.n < merge_many_from);
  const scratch<T> room(copies_first ? in.middle : in.n);
  if (!room) {
    return false;
  }
  return choice.run(
      mine,
      in.n,
      [&] {
        if (copies_first) {
          merge_through_room(in.data, in.data + in.middle, in.data + in.n, room.data(), comp);
        } else {
          merge_with_branches(in.into(room.data()), comp);
          std::copy_n(room.data(), in.n, in.data);
        }
        return true;
      },
      [&] {
        merge_by_kernel(in.into(room.data()), comp);
        std::copy_n(room.data(), in.n, in.data);
        return true;
      });
}

/// All workers merge numbers tile by tile, through a copy of the first range. A tile reads elements
/// behind those that the tiles in front of it write. So each is merged into a buffer of its worker,
/// and written when all in front of it have been read. False: memory was short.
///
/// Traffic: the first range is read and written once more than all of the result.
template <class How, class T, class Compare>
[[nodiscard]] bool merge_behind_copy(const How& how,
                                     const side_by_side<T>& in,
                                     std::size_t shares,
                                     Compare& comp) {
  constexpr std::size_t tile_size = std::size_t{1} << 14U;
  ordered_claims claims(in.n, tile_size);
  shares = std::min(shares, claims.num_tiles());
  const scratch<T> first(in.middle);
  const scratch<T> rooms(shares * tile_size);
  if (!first || !rooms) {
    return first && shares > 1 && merge_behind_copy(how, in, 1, comp);
  }
  copy_in_parts(how, in.data, in.middle, first.data(), num_parts_of(in.middle, shares));
  const merge_lane<const T*, const T*, T*> all{
      first.data(), in.middle, in.data + in.middle, in.n - in.middle, in.data};
  std::atomic<std::size_t> num_read{0};
  region(how, shares, [&](std::size_t share) {
    merge_cut last;
    while (const std::optional<tile> mine = claims.claim()) {
      const merge_cut begin = all.cut_behind(last, mine->first, comp);
      last = all.cut_behind(begin, mine->last, comp);
      merge_lane<const T*, const T*, T*> part = all.between(begin, last);
      T* const to = std::exchange(part.out, rooms.data() + share * tile_size);
      merge_by_kernel(part, comp);
      while (num_read.load(std::memory_order_acquire) != mine->index) {  // pairs with the store
        sched_yield();  // who has the tile in front may have lost its processor
      }
      num_read.store(mine->index + 1, std::memory_order_release);  // pairs with the load
      std::copy_n(rooms.data() + share * tile_size, part.size(), to);
    }
  });
  return true;
}

/// Through a copy. False: memory was short.
template <class How, class T, class Compare>
[[nodiscard]] bool merge_by_copy(const How& how, const side_by_side<T>& in, Compare& comp) {
  if (in.n < merge_many_from) {
    return merge_few_by_copy(in, comp);
  }
  static constinit cost_record costs;
  const bool is_shared = pays_to_share_all(how, costs, in.n);
  const cost_note noted(costs, in.n, is_shared);
  const std::size_t shares = is_shared ? num_shares(how) : 1;
  if constexpr (is_vector_mergeable<const T*, const T*, T*, Compare>) {  // and never throws
    if (in.n >= behind_copy_from) {
      return merge_behind_copy(how, in, shares, comp);
    }
  }
  return is_shared || in.n >= merge_choices::too_many_from
             ? merge_by_copy_of_all(how, in, shares, comp)
             : merge_few_by_copy(in, comp);
}

}  // namespace weft::algorithms::detail
