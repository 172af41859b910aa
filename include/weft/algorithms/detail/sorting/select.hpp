// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selection: the element of a rank in its place, lesser ones before it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <iterator>
#include <type_traits>

#include "weft/algorithms/detail/sorting/leaf_sort.hpp"
#include "weft/algorithms/detail/sorting/split.hpp"

namespace weft::algorithms::detail {

/// Where the two pivots of a selection are, as indices: the rank lies between them most likely.
struct rank_bracket {
  std::size_t low;
  std::size_t high;
  bool has_low;  // else the rank is near the front
  bool has_high;
};

/// Sorts a sample and takes two of it around the rank.
template <class It, class Compare>
[[nodiscard]] rank_bracket bracket_rank(It first, std::size_t n, std::size_t rank, Compare& comp) {
  constexpr std::size_t most = 1024;
  const std::size_t size = std::clamp<std::size_t>(n / 128, 32, most);
  std::array<std::size_t, most> sample;
  std::size_t mixed = n + rank;
  for (std::size_t i = 0; i < size; ++i) {
    mixed = mixed * 6364136223846793005U + 1442695040888963407U;
    const std::size_t begin = part_begin(n, size, i);
    const std::size_t width = part_begin(n, size, i + 1) - begin;
    sample[i] = begin + (mixed >> 33U) % width;
  }
  const auto by_element = [&](std::size_t a, std::size_t b) {
    return static_cast<bool>(comp(*advanced(first, a), *advanced(first, b)));
  };
  const double share = static_cast<double>(rank) / static_cast<double>(n);
  const double expected = share * static_cast<double>(size);
  // Three standard deviations of a rank in a sample, and one more place.
  const double margin = 3 * __builtin_sqrt(share * (1 - share) * static_cast<double>(size)) + 1;
  rank_bracket found{0, 0, expected - margin >= 0, expected + margin < static_cast<double>(size)};
  const auto begin = sample.begin();
  auto end = begin + static_cast<std::ptrdiff_t>(size);
  if (found.has_high) {
    const auto high = begin + static_cast<std::ptrdiff_t>(expected + margin);
    std::nth_element(begin, high, end, by_element);
    found.high = *high;
    end = high;
  }
  if (found.has_low) {
    const auto low = begin + static_cast<std::ptrdiff_t>(expected - margin);
    std::nth_element(begin, low, end, by_element);
    found.low = *low;
  }
  return found;
}

/// Selection whose splits do not branch: for values that are moved for less than a branch costs.
template <class It, class Compare>
void quick_select(It first, std::size_t n, std::size_t rank, Compare& comp) {
  constexpr std::size_t small = 32;
  unsigned levels_left = 2 * static_cast<unsigned>(std::bit_width(n));
  while (n > small && levels_left-- != 0) {
    const auto pivot = choose_pivot(first, n, comp);
    const std::size_t num_before = split_one(first, n, comp, pivot, split_kind::before);
    if (rank < num_before) {
      n = num_before;
      continue;
    }
    std::size_t num_done = num_before;
    if (num_before < n / 8) {  // few before it: perhaps many equal to it
      num_done += split_one(
          advanced(first, num_before), n - num_before, comp, pivot, split_kind::not_after);
      if (rank < num_done) {
        return;
      }
    }
    first = advanced(first, num_done);
    rank -= num_done;
    n -= num_done;
  }
  std::nth_element(first, advanced(first, rank), advanced(first, n), comp);
}

/// The same where it is faster than the standard's.
template <class It, class Compare>
void select_alone(const It& first, std::size_t n, std::size_t rank, Compare& comp) {
  using value = std::iter_value_t<It>;
  if constexpr (is_cheap_value<value> && std::is_same_v<std::iter_reference_t<It>, value&>) {
    quick_select(first, n, rank, comp);
  } else {
    std::nth_element(first, advanced(first, rank), advanced(first, n), comp);
  }
}

/// Floyd and Rivest's selection: two splits around the rank leave a small part to look into.
///
/// Source: Floyd, Rivest, "Expected Time Bounds for Selection", CACM 18(3), 1975.
template <class How, class It, class Compare>
class selection {
 public:
  selection(const How& how, Compare& comp) : how_(how), comp_(comp) {}

  void run(It first, std::size_t n, std::size_t rank) {
    constexpr std::size_t small = 1U << 11U;
    unsigned rounds_left = 2 * static_cast<unsigned>(std::bit_width(n));
    while (n > small && rounds_left-- != 0) {
      const rank_bracket around = bracket_rank(first, n, rank, comp_);
      range next{0, n};
      using value = std::iter_value_t<It>;
      const value low = *advanced(first, around.low);
      const value high = *advanced(first, around.high);
      // The split that leaves less comes first.
      if (rank < n / 2) {
        cut_right(first, next, rank, high, around.has_high);
        cut_left(first, next, rank, low, around.has_low);
      } else {
        cut_left(first, next, rank, low, around.has_low);
        cut_right(first, next, rank, high, around.has_high);
      }
      if (next.first == 0 && next.last == n) {
        break;  // nothing was gained
      }
      if (around.has_low && around.has_high && next.is_between &&
          !static_cast<bool>(comp_(low, high))) {
        return;  // all that is left is equal
      }
      first = advanced(first, next.first);
      rank -= next.first;
      n = next.last - next.first;
    }
    select_alone(first, n, rank, comp_);
  }

 private:
  struct range {
    std::size_t first;
    std::size_t last;
    bool is_between = true;  // the rank was on the expected side of each pivot
  };

  template <class Value>
  std::size_t split(It first, std::size_t n, const Value& pivot, split_kind kind) {
    constexpr std::size_t together_from = parallel_split_from<std::iter_value_t<It>>;
    const auto by_one = [&](It part, std::size_t size) {
      return split_one(part, size, comp_, pivot, kind);
    };
    return n < together_from ? by_one(first, n) : split_together(how_, first, n, by_one);
  }

  template <class Value>
  void cut_left(It first, range& next, std::size_t rank, const Value& low, bool wanted) {
    if (wanted && next.is_between) {
      const std::size_t border =
          next.first +
          split(advanced(first, next.first), next.last - next.first, low, split_kind::before);
      narrow(next, border, rank, rank >= border);
    }
  }
  template <class Value>
  void cut_right(It first, range& next, std::size_t rank, const Value& high, bool wanted) {
    if (wanted && next.is_between) {
      const std::size_t border =
          next.first +
          split(advanced(first, next.first), next.last - next.first, high, split_kind::not_after);
      narrow(next, border, rank, rank < border);
    }
  }
  static void narrow(range& next, std::size_t border, std::size_t rank, bool as_expected) {
    (rank < border ? next.last : next.first) = border;
    next.is_between = as_expected;
  }

  const How& how_;
  Compare& comp_;
};

/// Moves the element of rank `rank` to its place, all that come before it in front of it.
template <class How, class It, class Compare>
void select(const How& how, It first, std::size_t n, std::size_t rank, Compare& comp) {
  using value = std::iter_value_t<It>;
  // Values that are expensive to move are expensive to sample, too.
  constexpr std::size_t least = is_cheap_value<value> ? 0 : std::size_t{1} << 15U;
  if constexpr (std::copyable<value> && std::is_lvalue_reference_v<std::iter_reference_t<It>>) {
    if (n < least) {
      std::nth_element(first, advanced(first, rank), advanced(first, n), comp);
      return;
    }
    selection<How, It, Compare>(how, comp).run(first, n, rank);
  } else {
    std::nth_element(first, advanced(first, rank), advanced(first, n), comp);
  }
}

}  // namespace weft::algorithms::detail
