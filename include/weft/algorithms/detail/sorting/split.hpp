// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splitting of a range in place by a pivot, by one worker or by all.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/kernels/vector_sort.hpp"
#include "weft/algorithms/detail/memory/scratch.hpp"
#include "weft/algorithms/detail/sharing/tasks.hpp"

namespace weft::algorithms::detail {

/// Values whose copies are copies of their bytes.
template <class T>
inline constexpr bool is_plain_value = std::is_trivially_copyable_v<T>;
/// The assignment of a pair is no trivial one, but assigns two plain values.
template <class First, class Second>
inline constexpr bool is_plain_value<std::pair<First, Second>> =
    std::is_trivially_copyable_v<First> && std::is_trivially_copyable_v<Second>;

/// Values that are copied faster than a mispredicted branch costs.
template <class T>
inline constexpr bool is_cheap_value = is_plain_value<T> && std::copyable<T> && sizeof(T) <= 16;

/// Moves the elements for which `is_left` holds to the front; returns how many.
template <class It, class IsLeft>
std::size_t split_by(const It& first, std::size_t n, IsLeft&& is_left) {
  using value = std::iter_value_t<It>;
  if constexpr (is_cheap_value<value> &&
                std::is_same_v<std::iter_reference_t<It>, std::iter_value_t<It>&>) {
    It left = first;
    It const last = advanced(first, n);
    for (It it = first; it != last; ++it) {  // both are always written: no branch to mispredict
      const bool goes_left = is_left(*it);
      const value moved = *it;
      *it = *left;
      *left = moved;
      left += static_cast<std::iter_difference_t<It>>(goes_left);
    }
    return static_cast<std::size_t>(left - first);
  } else {
    It left = first;
    It right = advanced(first, n);
    for (;;) {
      while (left != right && is_left(*left)) {
        ++left;
      }
      do {
        if (left == right) {
          return static_cast<std::size_t>(left - first);
        }
        --right;
      } while (!is_left(*right));
      if (left == right) {
        return static_cast<std::size_t>(left - first);
      }
      std::ranges::iter_swap(left, right);
      ++left;
    }
  }
}

/// Which elements go to the front: those before the pivot, or those not after it.
enum class split_kind : unsigned char { before, not_after };

/// Splits by a pivot that is no element of the range.
template <class It, class Compare, class Value>
std::size_t split_one(
    const It& first, std::size_t n, Compare& comp, const Value& pivot, split_kind kind) {
  if constexpr (is_vector_sortable<It, Compare>) {
    using key = std::iter_value_t<It>;
    return vector_split(std::to_address(first),
                        n,
                        kind_of<key>(),
                        side_of(order_of<Compare, key>(), kind == split_kind::not_after),
                        std::addressof(pivot));
  } else if (kind == split_kind::before) {
    return split_by(first, n, [&](const auto& x) { return static_cast<bool>(comp(x, pivot)); });
  } else {
    return split_by(first, n, [&](const auto& x) { return !static_cast<bool>(comp(pivot, x)); });
  }
}

/// Elements side by side that lie on the wrong side of the border.
struct misplaced_run {
  std::size_t first;   // index in the range
  std::size_t before;  // misplaced elements of runs before this one
};

/// The element that is number `i` among those of `runs`, and how many of its run are left.
struct misplaced_position {
  std::size_t run;
  std::size_t index;
};

[[nodiscard]] inline misplaced_position find_misplaced(std::span<const misplaced_run> runs,
                                                       std::size_t i) {
  const auto after = std::ranges::upper_bound(runs, i, {}, &misplaced_run::before);
  const auto run = static_cast<std::size_t>(after - runs.begin()) - 1;
  return {run, runs[run].first + (i - runs[run].before)};
}

/// The two sets of misplaced elements after each part of a range was split; of the same size.
class misplaced {
 public:
  /// `memory` has room for twice as many runs as there are parts.
  misplaced(std::size_t n, std::span<const std::size_t> num_left, misplaced_run* memory) noexcept {
    const std::size_t num_parts = num_left.size();
    for (const std::size_t each : num_left) {
      border_ += each;
    }
    std::size_t num_right_runs = 0;
    std::size_t num_left_runs = 0;
    std::size_t num_left_ones = 0;
    misplaced_run* const left_runs = memory + num_parts;
    for (std::size_t i = 0; i < num_parts; ++i) {
      const std::size_t first = part_begin(n, num_parts, i);
      const std::size_t middle = first + num_left[i];
      const std::size_t right_last = std::min(part_begin(n, num_parts, i + 1), border_);
      const std::size_t left_first = std::max(first, border_);
      if (middle < right_last) {
        std::construct_at(memory + num_right_runs++, middle, size_);
        size_ += right_last - middle;
      }
      if (left_first < middle) {
        std::construct_at(left_runs + num_left_runs++, left_first, num_left_ones);
        num_left_ones += middle - left_first;
      }
    }
    right_ones_ = {memory, num_right_runs};
    left_ones_ = {left_runs, num_left_runs};
  }

  [[nodiscard]] std::size_t border() const noexcept { return border_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Swaps number [first, last) of both sets.
  template <class It>
  void swap(const It& range, std::size_t first, std::size_t last) const {
    while (first < last) {
      const misplaced_position a = find_misplaced(right_ones_, first);
      const misplaced_position b = find_misplaced(left_ones_, first);
      const std::size_t until =
          std::min({last, end_of(right_ones_, a.run), end_of(left_ones_, b.run)});
      std::swap_ranges(advanced(range, a.index),
                       advanced(range, a.index + (until - first)),
                       advanced(range, b.index));
      first = until;
    }
  }

 private:
  [[nodiscard]] std::size_t end_of(std::span<const misplaced_run> runs, std::size_t run) const {
    return run + 1 < runs.size() ? runs[run + 1].before : size_;
  }

  std::span<const misplaced_run> right_ones_;  // lie in front of the border
  std::span<const misplaced_run> left_ones_;
  std::size_t border_ = 0;
  std::size_t size_ = 0;
};

/// From how many elements on a split is worth the help of others.
template <class T>
inline constexpr std::size_t parallel_split_from = is_cheap_value<T> ? 1U << 15U : 1U << 13U;

/// `split(part_first, part_size)` for parts of the range by all workers, then everything misplaced
/// changes places. Traffic: each element read and written once, and up to half of them twice.
template <class How, class It, class Split>
std::size_t split_together(const How& how, It first, std::size_t n, Split&& split) {
  constexpr std::size_t parts_per_share = 4;
  constexpr std::size_t smallest_part = parallel_split_from<std::iter_value_t<It>> / 4;
  const std::size_t num_parts =
      std::clamp<std::size_t>(n / smallest_part, 1, parts_per_share * num_shares(how));
  if (!How::is_parallel || num_parts < 2) {
    return split(first, n);
  }
  const scratch<std::size_t> num_left(num_parts);
  const scratch<misplaced_run> runs(2 * num_parts);
  if (!num_left || !runs) {
    return split(first, n);
  }
  for_tasks(how, num_parts, [&](std::size_t i) {
    const std::size_t begin = part_begin(n, num_parts, i);
    std::construct_at(num_left.data() + i,
                      split(advanced(first, begin), part_begin(n, num_parts, i + 1) - begin));
  });
  const misplaced all(n, {num_left.data(), num_parts}, runs.data());
  const std::size_t num_swaps = std::clamp<std::size_t>(all.size() / smallest_part, 1, num_parts);
  for_tasks(how, num_swaps, [&](std::size_t i) {
    all.swap(first, part_begin(all.size(), num_swaps, i), part_begin(all.size(), num_swaps, i + 1));
  });
  return all.border();
}

}  // namespace weft::algorithms::detail
