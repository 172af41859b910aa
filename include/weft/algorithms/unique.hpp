// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Leaves the first of each run of equal elements, in a range or in the copy of one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/scanning/compaction_works.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"

namespace weft {

namespace algorithms::detail {

/// Moves the first element of each run down. The element before a tile may have been moved away
/// before the tile reads it. If a move changes elements, the calling thread compares at the borders
/// of tiles beforehand.
template <class It, class Equal>
struct move_first_of_runs : move_down_base<It> {
  Equal& equal;
  compaction_state begun{};
  std::size_t tile_size = 0;
  std::unique_ptr<bool[]> begins_run{};

  static constexpr bool stays_readable = std::is_trivially_copyable_v<std::iter_value_t<It>>;
  static constexpr bool looks_ahead = stays_readable;

  move_first_of_runs(It begin, Equal& given) : move_down_base<It>{begin}, equal(given) {}

  [[nodiscard]] std::uint64_t mask(std::size_t i, std::size_t n, std::size_t tile) const {
    if constexpr (!stays_readable) {
      if (i == tile) {
        return mask_within(i, n) | (begins_run[(i - begun.done) / tile_size] ? 1U : 0U);
      }
    }
    const It previous = advanced(this->first, i - 1);
    return keep_mask<std::iter_value_t<It>>(n, [this, &previous](std::size_t j) {
      const It one = advanced(previous, j);
      return !is_same(one, one + 1);
    });
  }
  [[nodiscard]] std::uint64_t mask_after(std::size_t i, std::size_t n, std::size_t kept) const {
    const bool is_repeated = is_same(advanced(this->first, kept - 1), advanced(this->first, i));
    return mask_within(i, n) | (is_repeated ? 0U : 1U);
  }
  [[nodiscard]] bool prepare_tiles(compaction_state at, std::size_t size, std::size_t n) {
    if constexpr (!stays_readable) {
      begun = at;
      tile_size = size;
      begins_run.reset(new (std::nothrow) bool[(n - at.done) / size + 1]);
      if (begins_run == nullptr) {
        return false;
      }
      for (std::size_t i = at.done; i < n; i += size) {
        const It before = advanced(this->first, i == at.done ? at.kept - 1 : i - 1);
        begins_run[(i - at.done) / size] = !is_same(before, advanced(this->first, i));
      }
    }
    return move_down_base<It>::prepare_tiles(at, size, n);
  }

 private:
  [[nodiscard]] bool is_same(const It& one, const It& next) const {
    return static_cast<bool>(equal(*one, *next));
  }
  /// Bit j, but for j = 0: whether element i + j differs from the one before it.
  [[nodiscard]] std::uint64_t mask_within(std::size_t i, std::size_t n) const {
    const It here = advanced(this->first, i);
    return keep_mask<std::iter_value_t<It>>(n, [this, &here](std::size_t j) {
      return j != 0 && !is_same(advanced(here, j - 1), advanced(here, j));
    });
  }
};

struct unique_call {
  template <class How, class It, class Equal>
  [[gnu::always_inline]] static It run(const How& how, It first, It last, Equal&& equal) {
    if constexpr (How::is_parallel && movable_aside<It>) {
      static constinit cost_record costs;
      if (first == last || (may_be_short<How> && last - first == 1)) {
        return last;
      }
      move_first_of_runs<It, std::remove_reference_t<Equal>> work(first, equal);
      const std::size_t kept = compact<tiles_to_move>(how,
                                                      static_cast<std::size_t>(last - first),
                                                      sizeof(std::iter_value_t<It>),
                                                      {1, 1},
                                                      costs,
                                                      work);
      return advanced(first, kept);
    } else {
      return std::unique(first, last, std::ref(equal));
    }
  }
};

struct unique_copy_call {
  template <class How, class It, class Out, class Equal>
  [[gnu::always_inline]] static Out run(const How& how, It first, It last, Out out, Equal&& equal) {
    if constexpr (How::is_parallel && indexed_iterator<It> && separate_outputs<Out>) {
      if (first == last) {
        return out;
      }
      *out = *first;
      if (may_be_short<How> && last - first == 1) {
        return out + 1;
      }
      return copy_where(how, first + 1, last, out + 1, [&equal](const It& it) -> bool {
        return !static_cast<bool>(equal(*(it - 1), *it));
      });
    } else {
      return std::unique_copy(first, last, out, std::ref(equal));
    }
  }
};

}  // namespace algorithms::detail

/// Moves the first element of each run of equal elements to the front.
///
/// They keep their order. Returns their end; elements behind it have unspecified values.
///
/// Shape:   `equal` is an equivalence relation.
/// Cost:    n - 1 applications of `equal`, and one more for each tile of elements that moving
///          changes; else as `remove_if`.
/// Threads: with a parallel policy `equal` is called from several at once.
/// Errors:  as `remove_if`.
/// Example: tests/algorithms/compaction_test.cpp: unique_is_what_the_standard_does.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          algorithms::detail::predicate_on<It, It> Equal = std::equal_to<>>
  requires algorithms::detail::moves_within<It>
[[gnu::always_inline]] inline algorithm_result_t<Policy, It> unique(Policy&& policy,
                                                                    It first,
                                                                    It last,
                                                                    Equal equal = {}) {
  return algorithms::detail::launch<algorithms::detail::unique_call>(
      policy, first, last, std::move(equal));
}

/// As `copy_if` for the first of each run of elements that `equal` holds for.
///
/// Shape:   `equal` is an equivalence relation.
/// Cost:    n - 1 applications of `equal`; else as `copy_if`.
/// Example: tests/algorithms/compaction_test.cpp: unique_copy_is_what_the_standard_does.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          std::forward_iterator Out,
          algorithms::detail::predicate_on<It, It> Equal = std::equal_to<>>
[[gnu::always_inline]] inline algorithm_result_t<Policy, Out> unique_copy(
    Policy&& policy, It first, It last, Out out, Equal equal = {}) {
  return algorithms::detail::launch<algorithms::detail::unique_copy_call>(
      policy, first, last, out, std::move(equal));
}

}  // namespace weft
