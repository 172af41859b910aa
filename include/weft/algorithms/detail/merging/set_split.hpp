// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two sorted ranges cut where a set operation may be cut: equal elements are cut pair by pair.
#pragma once

#include <algorithm>
#include <cstddef>

#include "weft/algorithms/detail/merging/merge_path.hpp"

namespace weft::algorithms::detail {

/// Two sorted ranges.
template <class It1, class It2>
struct set_input {
  It1 a;
  std::size_t a_size;
  It2 b;
  std::size_t b_size;

  [[nodiscard]] std::size_t size() const { return a_size + b_size; }

  [[nodiscard]] set_input between(merge_cut first, merge_cut last) const {
    return {advanced(a, first.a), last.a - first.a, advanced(b, first.b), last.b - first.b};
  }

  /// A cut with about `rank` elements in front. Among equal elements, the k-th of a and the k-th of
  /// b stay on the same side. So the results of the parts, one after the other, are the result of
  /// the whole. Cuts of higher ranks lie no further in front.
  template <class Compare>
  [[nodiscard]] merge_cut cut(std::size_t rank, Compare& comp) const {
    if (rank == 0 || rank == size()) {
      return rank == 0 ? merge_cut{} : merge_cut{a_size, b_size};
    }
    const std::size_t from_a = co_rank(rank, a, a_size, b, b_size, comp);
    const std::size_t from_b = rank - from_a;
    const bool next_is_b =
        from_a == a_size ||
        (from_b != b_size && static_cast<bool>(comp(*advanced(b, from_b), *advanced(a, from_a))));
    return next_is_b ? cut_at(*advanced(b, from_b), {from_a, from_b}, comp)
                     : cut_at(*advanced(a, from_a), {from_a, from_b}, comp);
  }

 private:
  /// Returns the valid cut for `place`, a place among the elements equal to `value`. The cut is
  /// monotonic in `place`.
  template <class Value, class Compare>
  [[nodiscard]] merge_cut cut_at(const Value& value, merge_cut place, Compare& comp) const {
    const std::size_t a_before = num_equal_in_front(a, place.a, value, comp);
    const std::size_t b_before = num_equal_in_front(b, place.b, value, comp);
    const std::size_t wanted = a_before + b_before;
    if (wanted == 0) {
      return place;
    }
    const std::size_t in_a =
        a_before + num_equal_behind(advanced(a, place.a), a_size - place.a, value, comp);
    const std::size_t in_b =
        b_before + num_equal_behind(advanced(b, place.b), b_size - place.b, value, comp);
    const std::size_t pairs = std::min(in_a, in_b);
    const std::size_t each = wanted / 2 <= pairs ? wanted / 2 : wanted - pairs;
    return {place.a - a_before + std::min(each, in_a), place.b - b_before + std::min(each, in_b)};
  }

  /// Of the last of `n` elements; mostly they are few.
  template <class It, class Value, class Compare>
  [[nodiscard]] static std::size_t num_equal_in_front(It first,
                                                      std::size_t n,
                                                      const Value& value,
                                                      Compare& comp) {
    std::size_t far = 1;
    while (far <= n && !static_cast<bool>(comp(*advanced(first, n - far), value))) {
      far *= 2;
    }
    const It low = advanced(first, far <= n ? n - far + 1 : 0);
    const It high = advanced(first, n - far / 2);
    return n - static_cast<std::size_t>(std::lower_bound(low, high, value, comp) - first);
  }

  /// Of the first of `n` elements.
  template <class It, class Value, class Compare>
  [[nodiscard]] static std::size_t num_equal_behind(It first,
                                                    std::size_t n,
                                                    const Value& value,
                                                    Compare& comp) {
    std::size_t far = 1;
    while (far <= n && !static_cast<bool>(comp(value, *advanced(first, far - 1)))) {
      far *= 2;
    }
    const It low = advanced(first, far / 2);
    const It high = advanced(first, std::min(far - 1, n));
    return static_cast<std::size_t>(std::upper_bound(low, high, value, comp) - first);
  }
};

}  // namespace weft::algorithms::detail
