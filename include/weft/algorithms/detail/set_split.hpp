// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two sorted ranges cut where a set operation may be cut: equal elements are cut pair by pair.
#pragma once

#include <algorithm>
#include <cstddef>

#include "weft/algorithms/detail/merge_path.hpp"

namespace weft::algorithms::detail {

/// How many elements of each range lie in front of a cut.
struct set_cut {
  std::size_t a = 0;
  std::size_t b = 0;
};

/// Two sorted ranges.
template <class It1, class It2>
struct set_input {
  It1 a;
  std::size_t a_size;
  It2 b;
  std::size_t b_size;

  [[nodiscard]] std::size_t size() const { return a_size + b_size; }

  [[nodiscard]] set_input between(set_cut first, set_cut last) const {
    return {advanced(a, first.a), last.a - first.a, advanced(b, first.b), last.b - first.b};
  }

  /// A cut with about `rank` elements in front. Where it would fall among equal ones, the k-th of a
  /// and the k-th of b stay on one side, so that the parts' results are those of the whole. Cuts of
  /// higher ranks lie no further in front.
  template <class Compare>
  [[nodiscard]] set_cut cut(std::size_t rank, Compare& comp) const {
    if (rank == 0 || rank == size()) {
      return rank == 0 ? set_cut{} : set_cut{a_size, b_size};
    }
    const std::size_t from_a = co_rank(rank, a, a_size, b, b_size, comp);
    const std::size_t from_b = rank - from_a;
    const bool next_is_b =
        from_a == a_size ||
        (from_b != b_size && static_cast<bool>(comp(*advanced(b, from_b), *advanced(a, from_a))));
    return next_is_b ? cut_at(*advanced(b, from_b), rank, comp)
                     : cut_at(*advanced(a, from_a), rank, comp);
  }

 private:
  /// Among the elements equal to `value`, `rank` elements being in front.
  template <class Value, class Compare>
  [[nodiscard]] set_cut cut_at(const Value& value, std::size_t rank, Compare& comp) const {
    const auto [a_first, a_last] = equal_to(a, a_size, value, comp);
    const auto [b_first, b_last] = equal_to(b, b_size, value, comp);
    const std::size_t wanted = rank - a_first - b_first;
    const std::size_t pairs = std::min(a_last - a_first, b_last - b_first);
    const std::size_t each = wanted / 2 <= pairs ? wanted / 2 : wanted - pairs;
    return {std::min(a_first + each, a_last), std::min(b_first + each, b_last)};
  }

  template <class It, class Value, class Compare>
  [[nodiscard]] static std::pair<std::size_t, std::size_t> equal_to(It first,
                                                                    std::size_t n,
                                                                    const Value& value,
                                                                    Compare& comp) {
    const It last = advanced(first, n);
    const It low = std::lower_bound(first, last, value, comp);
    const It high = std::upper_bound(low, last, value, comp);
    return {static_cast<std::size_t>(low - first), static_cast<std::size_t>(high - first)};
  }
};

}  // namespace weft::algorithms::detail
