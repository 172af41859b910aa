// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The four set operations on two sorted ranges, by all workers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <type_traits>

#include "weft/algorithms/detail/memory/scratch.hpp"
#include "weft/algorithms/detail/merging/merge_choice.hpp"
#include "weft/algorithms/detail/merging/merge_path.hpp"
#include "weft/algorithms/detail/merging/set_kernels.hpp"
#include "weft/algorithms/detail/scanning/look_back.hpp"
#include "weft/algorithms/detail/sharing/ordered_claims.hpp"
#include "weft/algorithms/detail/sharing/tasks.hpp"

namespace weft::algorithms::detail {

/// Counts what is written to it.
class counting_output {
 public:
  using iterator_category = std::output_iterator_tag;
  using value_type = void;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = void;

  struct dropped {
    template <class U>
    const dropped& operator=(const U& /*value*/) const noexcept {
      return *this;
    }
  };

  dropped operator*() const noexcept { return {}; }
  counting_output& operator++() noexcept {
    ++count_;
    return *this;
  }
  counting_output operator++(int) noexcept {
    counting_output before = *this;
    ++count_;
    return before;
  }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }

 private:
  std::size_t count_ = 0;
};

/// From how many elements on others are asked to help.
inline constexpr std::size_t shared_set_from = 1U << 13U;

/// What set operations are cut into: a tile's result stays in the nearest cache.
inline constexpr std::size_t set_tile_size = 4096;
/// A cut falls where it is wanted or one in front of it.
inline constexpr std::size_t set_room_size = set_tile_size + 64;

/// Tile by tile on the caller; with branches also where memory for the other way is short.
template <set_kind kind, class In, class T, class Compare>
[[nodiscard]] T* set_alone(const In& in, T* out, Compare& comp, merge_choice& choice) {
  std::optional<scratch<T>> room;
  merge_cut before;
  for (std::size_t first = 0; first != in.size();) {
    first += std::min(set_tile_size, in.size() - first);
    const merge_cut next = in.cut(first, comp);
    const In part = in.between(before, next);
    const merge_choice::turn mine = choice.next(part.size());
    if (!mine.takes_branches && !room) {
      room.emplace(std::min(in.size(), set_room_size));
    }
    const auto with_branches = [&] { return set_with_branches<kind>(part, out, comp); };
    if (room && !*room) {
      out = with_branches();
    } else {
      out = choice.run(mine, part.size(), with_branches, [&] {
        const std::size_t size = set_without_branches<kind>(part, room->data(), comp);
        return std::copy_n(room->data(), size, out);
      });
    }
    before = next;
  }
  return out;
}

/// Tile by tile by all that come; where a result goes is known from the tiles in front, one pass in
/// all. False: memory was short, and nothing was written.
template <set_kind kind, class How, class In, class T, class Compare>
[[nodiscard]] bool set_together(
    const How& how, const In& in, T*& out, Compare& comp, merge_choice& choice) {
  ordered_claims claims(in.size(), set_tile_size);
  look_back<std::size_t> sizes(claims.num_tiles(), 0);
  const std::size_t shares = std::min(num_shares(how), claims.num_tiles());
  const scratch<T> rooms(shares * set_room_size);
  if (!sizes.is_ready() || !rooms) {
    return false;
  }
  std::plus<std::size_t> add;
  const auto do_tile = [&](const tile& mine, T* room) {
    const In part = in.between(in.cut(mine.first, comp), in.cut(mine.last, comp));
    const std::size_t size = choice.run(
        part.size(),
        [&] { return static_cast<std::size_t>(set_with_branches<kind>(part, room, comp) - room); },
        [&] { return set_without_branches<kind>(part, room, comp); });
    sizes.publish_sum(mine.index, size);
    const std::optional<std::size_t> before = sizes.before(mine.index, add);
    if (before) {
      sizes.publish_prefix(mine.index, *before + size);
      std::copy_n(room, size, out + *before);
    } else {
      sizes.fail(mine.index);
    }
  };
  region(how, shares, [&](std::size_t share) {
    T* const room = rooms.data() + share * set_room_size;
    while (const std::optional<tile> mine = claims.claim()) {
      try {
        do_tile(*mine, room);
      } catch (...) {
        claims.stop();
        sizes.fail(mine->index);
        throw;
      }
    }
  });
  out += sizes.total(claims.num_tiles());
  return true;
}

/// By the caller, or by all where that pays.
template <set_kind kind, class How, class In, class T, class Compare>
[[nodiscard]] T* set_in_tiles(
    const How& how, const In& in, T* out, Compare& comp, merge_choice& choice) {
  static constinit cost_record costs;
  const bool is_shared = pays_to_share_all(how, costs, in.size());
  const cost_note noted(costs, in.size(), is_shared);
  if (is_shared && set_together<kind>(how, in, out, comp, choice)) {
    return out;
  }
  return set_alone<kind>(in, out, comp, choice);
}

/// Counts each part's result, then writes all where they belong. False: memory was short.
template <set_kind kind, class How, class In, class Out, class Compare>
[[nodiscard]] bool set_counted_first(const How& how, const In& in, Out& out, Compare& comp) {
  constexpr std::size_t smallest_part = 1U << 10U;
  const std::size_t num_parts =
      std::clamp<std::size_t>(in.size() / smallest_part, 1, 8 * num_shares(how));
  const scratch<std::size_t> ends(num_parts);
  if (!ends) {
    return false;
  }
  const auto part = [&](std::size_t i) {
    return in.between(in.cut(part_begin(in.size(), num_parts, i), comp),
                      in.cut(part_begin(in.size(), num_parts, i + 1), comp));
  };
  for_tasks(how, num_parts, [&](std::size_t i) {
    const auto counted = set_with_branches<kind>(part(i), counting_output(), comp);
    std::construct_at(ends.data() + i, counted.count());
  });
  for (std::size_t i = 1; i < num_parts; ++i) {
    ends.data()[i] += ends.data()[i - 1];
  }
  for_tasks(how, num_parts, [&](std::size_t i) {
    const std::size_t begin = i == 0 ? 0 : ends.data()[i - 1];
    static_cast<void>(set_with_branches<kind>(part(i), advanced(out, begin), comp));
  });
  out = advanced(out, ends.data()[num_parts - 1]);
  return true;
}

template <set_kind kind, class How, class It1, class It2, class Out, class Compare>
Out set_operation(const How& how, const set_input<It1, It2>& in, Out out, Compare& comp) {
  constexpr std::size_t without_branches_from = 128;
  if constexpr (merges_without_branches<It1, It2, Out>) {
    if (in.size() >= without_branches_from) {
      static constinit merge_choices choices;  // for calls to come, too
      merge_choice& choice = choices.of(in.size());
      auto* const to = std::to_address(out);
      const auto* const end = in.size() >= shared_set_from
                                  ? set_in_tiles<kind>(how, in, to, comp, choice)
                                  : set_alone<kind>(in, to, comp, choice);
      return advanced(out, static_cast<std::size_t>(end - to));
    }
  } else if constexpr (How::is_parallel) {
    if (in.size() >= shared_set_from && num_shares(how) > 1 &&
        set_counted_first<kind>(how, in, out, comp)) {
      return out;
    }
  }
  return set_with_branches<kind>(in, out, comp);
}

}  // namespace weft::algorithms::detail
