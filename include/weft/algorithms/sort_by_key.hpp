// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts keys, and values along with them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/algorithms/detail/engine.hpp"
#include "weft/algorithms/detail/map.hpp"
#include "weft/algorithms/detail/merge_sort.hpp"
#include "weft/algorithms/detail/reorder.hpp"

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

struct sort_by_key_call {
  template <class How, class Keys, class Values, class Compare>
  static void run(const How& how, Keys first, Keys last, Values values, Compare&& comp) {
    const auto n = static_cast<std::size_t>(last - first);
    if (n < 2) {
      return;
    }
    using pair = keyed_value<std::iter_value_t<Keys>, std::iter_value_t<Values>>;
    if constexpr (is_cheap_value<pair>) {
      if (sort_pairs<pair>(how, first, n, values, comp)) {
        return;
      }
    }
    sort_order(how, first, n, values, comp);
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

  /// Finds the order of the keys, then moves keys and values.
  template <class How, class Keys, class Values, class Compare>
  static void sort_order(const How& how, Keys keys, std::size_t n, Values values, Compare& comp) {
    std::vector<std::size_t> order(n);
    const std::span<std::size_t> all(order);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const compare_at<Keys, Compare> by_number{keys, std::addressof(comp)};
    if (!merge_sort(how, all, by_number)) {
      std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return by_number(a, b) || (a < b && !by_number(b, a));
      });
    }
    std::vector<std::size_t> again(order);  // moving in place would use an order up
    reorder(how, keys, std::span<std::size_t>(again));
    reorder(how, values, all);
  }
};

}  // namespace algorithms::detail

/// Sorts the keys [first, last) by `comp` and moves each value of the range from `values` on with
/// its key. Equal keys, and their values, keep their order.
///
/// Cost:    O(n log n) comparisons; memory for n pairs and as much again, or for 2 n numbers where
///          a pair is not small and trivial.
/// Threads: with a parallel policy `comp` is called from several at once.
/// Errors:  the first exception that `comp` throws, or `std::bad_alloc`: nothing has moved then.
/// Example: tests/algorithms/selection_test.cpp: moves_values_with_their_keys.
template <execution_policy Policy,
          std::random_access_iterator Keys,
          std::random_access_iterator Values,
          class Compare = std::less<>>
algorithm_result_t<Policy, void> sort_by_key(
    Policy&& policy, Keys first, Keys last, Values values, Compare comp = {}) {
  return algorithms::detail::launch<algorithms::detail::sort_by_key_call>(
      policy, first, last, values, std::move(comp));
}

}  // namespace weft
