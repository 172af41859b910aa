// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The two compactions most algorithms are: what is kept goes to another range, or down in its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <type_traits>

#include "weft/algorithms/detail/kernels/compress.hpp"
#include "weft/algorithms/detail/kernels/keep_mask.hpp"
#include "weft/algorithms/detail/memory/streaming.hpp"
#include "weft/algorithms/detail/scanning/compaction.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"

namespace weft::algorithms::detail {

/// How many elements will be kept of [at.done, n), to judge from those before.
[[nodiscard]] inline std::size_t expected_kept(compaction_state at, std::size_t n) noexcept {
  const std::size_t rest = n - at.done;
  return at.done == 0
             ? rest / 2
             : static_cast<std::size_t>(static_cast<double>(rest) * (static_cast<double>(at.kept) /
                                                                     static_cast<double>(at.done)));
}

/// Copies to `out` the elements whose iterator `keep` accepts.
template <class It, class Out, class Keep>
struct copy_kept {
  static constexpr bool looks_ahead = true;

  It first;
  Out out;
  Keep& keep;
  bool streams = false;

  [[nodiscard]] std::uint64_t mask(std::size_t i, std::size_t n, std::size_t /*tile*/) const {
    const It here = advanced(first, i);
    return keep_mask<std::iter_value_t<It>>(
        n, [this, &here](std::size_t j) { return keep(advanced(here, j)); });
  }
  void place(std::size_t i, std::size_t /*n*/, std::uint64_t mask, std::size_t kept) const {
    copy_masked(advanced(first, i), mask, advanced(out, kept));
  }
  std::size_t place_words(std::size_t i, const mask_words& which, std::size_t kept) const {
    const Out to = advanced(out, kept);
    if constexpr (over_streamable_words<It, Out>) {
      if (streams) {
        return static_cast<std::size_t>(write_words(advanced(first, i), which, to) - to);
      }
    }
    return static_cast<std::size_t>(copy_words(advanced(first, i), which, to) - to);
  }
  [[nodiscard]] bool prepare_tiles(compaction_state at, std::size_t /*tile_size*/, std::size_t n) {
    if constexpr (over_streamable_words<It, Out>) {
      streams = should_stream(expected_kept(at, n) * sizeof(std::iter_value_t<It>));
    }
    return true;
  }
  void end_tile() const noexcept {
    if (streams) {
      stream_fence();
    }
  }
};

/// What compactions within a range have in common.
template <class It>
struct move_down_base {
  using value = std::iter_value_t<It>;
  static constexpr bool looks_ahead = true;

  It first;
  bool streams = false;  // whether elements set aside are put back by non-temporal stores

  void place(std::size_t i, std::size_t /*n*/, std::uint64_t mask, std::size_t kept) const {
    move_masked(advanced(first, i), mask, advanced(first, kept));
  }
  std::size_t place_words(std::size_t i, const mask_words& which, std::size_t kept) const {
    const It to = advanced(first, kept);
    return static_cast<std::size_t>(move_words(advanced(first, i), which, to) - to);
  }
  void set_aside(const tile& t, const tile_masks& masks, value* room) const noexcept {
    const std::size_t num_full = (t.last - t.first) / mask_width;
    room = move_words_aside(advanced(first, t.first), {masks.data(), num_full, 0}, room);
    const std::size_t i = t.first + num_full * mask_width;
    if (i != t.last) {
      move_aside(advanced(first, i), masks[num_full], room);
    }
  }
  void put_back(const tile& t, std::size_t n, value* room, std::size_t before) const noexcept {
    if (std::is_trivially_copyable_v<value> && before == t.first && n == t.last - t.first) {
      return;  // all are where they belong; and a neighbour may be reading the last
    }
    if constexpr (over_streamable_words<It, value*>) {
      if (streams && n != 0) {
        value* const to = std::to_address(advanced(first, before));
        write_large(
            stream_kind::copy,
            n * sizeof(value),
            [&] { stream_copy(to, room, n * sizeof(value)); },
            [&] { std::copy_n(room, n, to); });
        return;
      }
    }
    detail::put_back(room, n, advanced(first, before));
  }
  void restore(const tile& t, std::size_t n, value* room) const noexcept {
    if constexpr (!std::is_trivially_copyable_v<value>) {  // those are still in their place
      detail::put_back(room, n, advanced(first, t.first));
    }
  }
  [[nodiscard]] bool prepare_tiles(compaction_state at, std::size_t /*tile_size*/, std::size_t n) {
    if constexpr (over_streamable_words<It, value*>) {
      streams = at.kept != at.done && should_stream(expected_kept(at, n) * sizeof(value));
    }
    return true;
  }
  void end_tile() const noexcept {
    if (streams) {
      stream_fence();
    }
  }
};

/// Moves down the elements whose iterator `keep` accepts.
template <class It, class Keep>
struct move_kept : move_down_base<It> {
  Keep& keep;

  move_kept(It begin, Keep& given) : move_down_base<It>{begin}, keep(given) {}

  [[nodiscard]] std::uint64_t mask(std::size_t i, std::size_t n, std::size_t /*tile*/) const {
    const It here = advanced(this->first, i);
    return keep_mask<std::iter_value_t<It>>(
        n, [this, &here](std::size_t j) { return keep(advanced(here, j)); });
  }
};

/// Copies the elements of [first, last) whose iterator `keep` accepts to `out`; returns its end.
template <class How, class It, class Out, class Keep>
[[gnu::always_inline]] inline Out copy_where(
    const How& how, It first, It last, Out out, Keep&& keep) {
  static constinit cost_record costs;
  copy_kept<It, Out, Keep> work{first, out, keep, false};
  const std::size_t kept = compact<tiles_to_copy>(
      how, static_cast<std::size_t>(last - first), sizeof(std::iter_value_t<It>), {}, costs, work);
  return advanced(out, kept);
}

/// Moves down the elements of [first, last) whose iterator `keep` accepts; returns their end.
template <class How, class It, class Keep>
[[gnu::always_inline]] inline It keep_where(const How& how, It first, It last, Keep&& keep) {
  static constinit cost_record costs;
  move_kept<It, Keep> work(first, keep);
  const std::size_t kept = compact<tiles_to_move>(
      how, static_cast<std::size_t>(last - first), sizeof(std::iter_value_t<It>), {}, costs, work);
  return advanced(first, kept);
}

}  // namespace weft::algorithms::detail
