// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The two compactions most algorithms are: what is kept goes to another range, or down in its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "weft/algorithms/detail/compaction.hpp"
#include "weft/algorithms/detail/keep_mask.hpp"

namespace weft::algorithms::detail {

/// Copies to `out` the elements whose iterator `keep` accepts.
template <class It, class Out, class Keep>
struct copy_kept {
  It first;
  Out out;
  Keep& keep;

  [[nodiscard]] std::uint64_t mask(std::size_t i, std::size_t n, std::size_t /*tile*/) const {
    const It here = advanced(first, i);
    return keep_mask(n, [this, &here](std::size_t j) { return keep(advanced(here, j)); });
  }
  [[nodiscard]] std::uint64_t mask_after(std::size_t i, std::size_t n, std::size_t /*kept*/) const {
    return mask(i, n, 0);
  }
  void place(std::size_t i, std::size_t /*n*/, std::uint64_t mask, std::size_t kept) const {
    copy_masked(advanced(first, i), mask, advanced(out, kept));
  }
  [[nodiscard]] static bool prepare_tiles(compaction_state /*at*/,
                                          std::size_t /*tile_size*/,
                                          std::size_t /*n*/) noexcept {
    return true;
  }
};

/// What compactions within a range have in common.
template <class It>
struct move_down_base {
  using value = std::iter_value_t<It>;

  It first;

  void place(std::size_t i, std::size_t /*n*/, std::uint64_t mask, std::size_t kept) const {
    move_masked(advanced(first, i), mask, advanced(first, kept));
  }
  void move_down(const tile& t, const tile_masks& masks, std::size_t before) const {
    It out = advanced(first, before);
    for_each_mask(t, masks, [&](std::size_t i, std::uint64_t mask) {
      out = move_masked(advanced(first, i), mask, out);
    });
  }
  void set_aside(const tile& t, const tile_masks& masks, value* room) const noexcept {
    for_each_mask(t, masks, [&](std::size_t i, std::uint64_t mask) {
      room = move_aside(advanced(first, i), mask, room);
    });
  }
  void put_back(const tile& t, std::size_t n, value* room, std::size_t before) const noexcept {
    if (std::is_trivially_copyable_v<value> && before == t.first && n == t.last - t.first) {
      return;  // all are where they belong; and a neighbour may be reading the last
    }
    detail::put_back(room, n, advanced(first, before));
  }
  void restore(const tile& t, std::size_t n, value* room) const noexcept {
    put_back(t, n, room, t.first);
  }
  [[nodiscard]] static bool prepare_tiles(compaction_state /*at*/,
                                          std::size_t /*tile_size*/,
                                          std::size_t /*n*/) noexcept {
    return true;
  }
};

/// Moves down the elements whose iterator `keep` accepts.
template <class It, class Keep>
struct move_kept : move_down_base<It> {
  Keep& keep;

  [[nodiscard]] std::uint64_t mask(std::size_t i, std::size_t n, std::size_t /*tile*/) const {
    const It here = advanced(this->first, i);
    return keep_mask(n, [this, &here](std::size_t j) { return keep(advanced(here, j)); });
  }
  [[nodiscard]] std::uint64_t mask_after(std::size_t i, std::size_t n, std::size_t /*kept*/) const {
    return mask(i, n, 0);
  }
};

/// Copies the elements of [first, last) whose iterator `keep` accepts to `out`; returns its end.
template <class How, class It, class Out, class Keep>
[[gnu::always_inline]] inline Out copy_where(
    const How& how, It first, It last, Out out, Keep&& keep) {
  static constinit cost_record costs;
  copy_kept<It, Out, Keep> work{first, out, keep};
  const std::size_t kept = compact<tiles_to_copy>(
      how, static_cast<std::size_t>(last - first), sizeof(std::iter_value_t<It>), {}, costs, work);
  return advanced(out, kept);
}

/// Moves down the elements of [first, last) whose iterator `keep` accepts; returns their end.
template <class How, class It, class Keep>
[[gnu::always_inline]] inline It keep_where(const How& how, It first, It last, Keep&& keep) {
  static constinit cost_record costs;
  move_kept<It, Keep> work{{first}, keep};
  const std::size_t kept = compact<tiles_to_move>(
      how, static_cast<std::size_t>(last - first), sizeof(std::iter_value_t<It>), {}, costs, work);
  return advanced(first, kept);
}

}  // namespace weft::algorithms::detail
