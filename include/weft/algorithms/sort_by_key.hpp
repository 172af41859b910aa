// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts keys, and values along with them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/loops/map.hpp"
#include "weft/algorithms/detail/memory/scratch.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"
#include "weft/algorithms/detail/sharing/tasks.hpp"
#include "weft/algorithms/detail/sorting/merge_sort.hpp"
#include "weft/algorithms/detail/sorting/reorder.hpp"

namespace weft {

namespace algorithms::detail {

template <class Key, class Value>
struct keyed_value {
  Key key;
  Value value;
};

template <class Compare>
struct compare_keys {
  Compare* comp;

  template <class Keyed>
  bool operator()(const Keyed& a, const Keyed& b) const {
    return static_cast<bool>((*comp)(a.key, b.key));
  }
};

/// A stable sort of keys and values that takes no memory: by merges that rotate. Asks no more of
/// keys and values than `reorder` does, and calls the comparison with what `Keys` refer to.
template <class Keys, class Values, class Compare>
struct keys_in_place {
  Keys keys;
  Values values;
  compare_at<Keys, Compare> comes_before;

  void sort(std::size_t first, std::size_t last) {
    constexpr std::size_t few = 16;
    if (last - first > few) {
      const std::size_t middle = first + (last - first) / 2;
      sort(first, middle);
      sort(middle, last);
      merge(first, middle, last);
      return;
    }
    for (std::size_t i = first; i < last; ++i) {
      rotate(end_of_not_greater(first, i, i), i, i + 1);
    }
  }

 private:
  void merge(std::size_t first, std::size_t middle, std::size_t last) {
    if (first == middle || middle == last || !comes_before(middle, middle - 1)) {
      return;
    }
    std::size_t left = 0;  // [left, middle) and [middle, right) change places
    std::size_t right = 0;
    if (middle - first >= last - middle) {
      left = first + (middle - first) / 2;
      right = end_of_less(middle, last, left);
    } else {
      right = middle + (last - middle) / 2;
      left = end_of_not_greater(first, middle, right);
    }
    rotate(left, middle, right);
    const std::size_t border = left + (right - middle);
    merge(first, left, border);
    merge(border, right, last);
  }
  void rotate(std::size_t first, std::size_t middle, std::size_t last) const {
    rotate(keys, first, middle, last);
    rotate(values, first, middle, last);
  }
  /// std::rotate and std::reverse take no iterators whose references are proxies.
  template <class It>
  static void rotate(const It& it, std::size_t first, std::size_t middle, std::size_t last) {
    if (first != middle && middle != last) {
      reverse(it, first, middle);
      reverse(it, middle, last);
      reverse(it, first, last);
    }
  }
  template <class It>
  static void reverse(const It& it, std::size_t first, std::size_t last) {
    for (; last - first > 1; ++first) {
      --last;
      const It front = advanced(it, first);
      const It back = advanced(it, last);
      std::iter_value_t<It> kept = std::ranges::iter_move(front);
      *front = std::ranges::iter_move(back);
      *back = std::move(kept);
    }
  }
  /// Where in [first, last) the keys end that come before key `of`.
  [[nodiscard]] std::size_t end_of_less(std::size_t first, std::size_t last, std::size_t of) const {
    return end_of(first, last, [&](std::size_t i) { return comes_before(i, of); });
  }
  /// Where in [first, last) the keys end that do not come behind key `of`.
  [[nodiscard]] std::size_t end_of_not_greater(std::size_t first,
                                               std::size_t last,
                                               std::size_t of) const {
    return end_of(first, last, [&](std::size_t i) { return !comes_before(of, i); });
  }
  /// The first number in [first, last) that is not one of those in front, or `last`.
  template <class Test>
  [[nodiscard]] static std::size_t end_of(std::size_t first,
                                          std::size_t last,
                                          const Test& is_in_front) {
    while (first != last) {
      const std::size_t middle = first + (last - first) / 2;
      if (is_in_front(middle)) {
        first = middle + 1;
      } else {
        last = middle;
      }
    }
    return first;
  }
};

struct sort_by_key_call {
  template <class How, class Keys, class Values, class Compare>
  static void run(const How& how, Keys first, Keys last, Values values, Compare&& comp) {
    const auto n = static_cast<std::size_t>(last - first);
    if (n < 2) {
      return;
    }
    using key = std::iter_value_t<Keys>;
    using pair = keyed_value<key, std::iter_value_t<Values>>;
    if constexpr (is_cheap_value<pair> && std::is_invocable_v<Compare&, const key&, const key&>) {
      if (sort_pairs<pair>(how, first, n, values, comp)) {
        return;
      }
    }
    if (!sort_order(how, first, n, values, comp)) {
      using compare = std::remove_reference_t<Compare>;
      keys_in_place<Keys, Values, compare>{first, values, {first, std::addressof(comp)}}.sort(0, n);
    }
  }

 private:
  template <class How, class Body>
  static void for_parts(const How& how, std::size_t n, Body body) {
    const std::size_t num_parts = std::clamp<std::size_t>(n >> 13U, 1, 8 * num_shares(how));
    for_tasks(how, num_parts, [&](std::size_t part) {
      const std::size_t end = part_begin(n, num_parts, part + 1);
      for (std::size_t i = part_begin(n, num_parts, part); i < end; ++i) {
        body(i);
      }
    });
  }

  /// Key and value side by side. False: memory was short.
  template <class Pair, class How, class Keys, class Values, class Compare>
  static bool sort_pairs(const How& how, Keys keys, std::size_t n, Values values, Compare& comp) {
    const scratch<Pair> pairs(n);
    if (!pairs) {
      return false;
    }
    Pair* const all = pairs.data();
    for_parts(how, n, [=](std::size_t i) {
      ::new (static_cast<void*>(all + i)) Pair{*advanced(keys, i), *advanced(values, i)};
    });
    const compare_keys<Compare> by_key{std::addressof(comp)};
    if (!merge_sort(how, std::span<Pair>(all, n), by_key)) {
      return false;
    }
    const auto write_back = [=](std::size_t i) {
      *advanced(keys, i) = all[i].key;
      *advanced(values, i) = all[i].value;
    };
    if constexpr (indexable_output<Keys> && indexable_output<Values>) {
      for_parts(how, n, write_back);
    } else {
      for (std::size_t i = 0; i < n; ++i) {
        write_back(i);
      }
    }
    return true;
  }

  /// Finds the order of the keys, then moves keys and values. False: memory was short.
  template <class How, class Keys, class Values, class Compare>
  static bool sort_order(const How& how, Keys keys, std::size_t n, Values values, Compare& comp) {
    const scratch<std::size_t> room(n);
    if (!room) {
      return false;
    }
    const std::span<std::size_t> order(room.data(), n);
    number_elements(how, order);
    const compare_at<Keys, Compare> by_number{keys, std::addressof(comp)};
    if (!merge_sort(how, order, by_number)) {
      std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return by_number(a, b) || (a < b && !by_number(b, a));
      });
    }
    const scratch<std::size_t> room_again(n);  // moving in place uses an order up
    if (!room_again) {
      return false;
    }
    const std::span<std::size_t> again(room_again.data(), n);
    std::uninitialized_copy(order.begin(), order.end(), again.begin());
    reorder(how, keys, again);
    reorder(how, values, order);
    return true;
  }
};

}  // namespace algorithms::detail

/// Sorts the keys [first, last) by `comp` and moves each value of the range from `values` on with
/// its key. Equal keys, and their values, keep their order.
///
/// Cost:    O(n log n) comparisons; memory for 2 n pairs. If a pair is not small and trivial,
///          memory for 2 n numbers, and n keys or values. Without memory for the numbers the
///          calling thread works alone and in place, in O(n log^2 n).
/// Threads: with a parallel policy `comp` is called from several at once.
/// Errors:  the first exception that `comp` throws: nothing has moved then; without memory, values
///          are still with their keys.
/// Example: tests/algorithms/selection_test.cpp: moves_values_with_their_keys.
template <execution_policy Policy,
          std::random_access_iterator Keys,
          std::random_access_iterator Values,
          algorithms::detail::predicate_on<Keys, Keys> Compare = std::less<>>
  requires algorithms::detail::moves_within<Keys> && algorithms::detail::moves_within<Values>
algorithm_result_t<Policy, void> sort_by_key(
    Policy&& policy, Keys first, Keys last, Values values, Compare comp = {}) {
  return algorithms::detail::launch<algorithms::detail::sort_by_key_call>(
      policy, first, last, values, algorithms::detail::comparing_constants<Keys>(std::move(comp)));
}

}  // namespace weft
