// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts the first elements of a range, in place or into another.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/loops/map.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"
#include "weft/algorithms/detail/sorting/leaf_sort.hpp"
#include "weft/algorithms/detail/sorting/merge_sort.hpp"
#include "weft/algorithms/detail/sorting/reorder.hpp"
#include "weft/algorithms/detail/sorting/select.hpp"
#include "weft/algorithms/sort.hpp"

namespace weft {

namespace algorithms::detail {

inline constexpr std::size_t partial_sort_from = 1U << 12U;

struct partial_sort_call {
  template <class How, class It, class Compare>
  static void run(const How& how, It first, It middle, It last, Compare&& comp) {
    const auto n = static_cast<std::size_t>(last - first);
    const auto num_sorted = static_cast<std::size_t>(middle - first);
    if (n < partial_sort_from || num_sorted == 0) {
      sort_few(first, num_sorted, n, comp);
      return;
    }
    if (num_sorted < n) {
      select(how, first, n, num_sorted, comp);
    }
    sort_call::run(how, first, middle, comp);
  }

 private:
  /// By a heap if it stays small, which few of the elements then get into; else by a selection.
  template <class It, class Compare>
  static void sort_few(const It& first, std::size_t num_sorted, std::size_t n, Compare& comp) {
    if constexpr (is_cheap_value<std::iter_value_t<It>> &&
                  std::is_same_v<std::iter_reference_t<It>, std::iter_value_t<It>&>) {
      if (num_sorted > n / 64 && num_sorted > 4) {
        if (num_sorted < n) {
          quick_select(first, n, num_sorted, comp);
        }
        leaf_sort(first, num_sorted, comp);
        return;
      }
    }
    std::partial_sort(first, advanced(first, num_sorted), advanced(first, n), comp);
  }
};

/// The least `size` of [first, last), sorted, by insertion: for a result that is short.
template <class In, class Out, class Compare>
Out insert_least(In first, const In& last, Out out, std::size_t size, Compare& comp) {
  Out end = out;
  const Out limit = advanced(out, size);
  for (; first != last; ++first) {
    const std::iter_value_t<Out> x = *first;
    if (end == limit) {
      if (!static_cast<bool>(comp(x, *std::prev(end)))) {
        continue;
      }
    } else {
      ++end;
    }
    Out place = std::prev(end);
    for (; place != out && static_cast<bool>(comp(x, *std::prev(place))); --place) {
      *place = *std::prev(place);
    }
    *place = x;
  }
  return end;
}

/// Values for which that is fast.
template <class In, class Out>
inline constexpr bool is_insertable =
    indexed_iterator<In> && is_cheap_value<std::iter_value_t<Out>> &&
    std::is_same_v<std::iter_value_t<In>, std::iter_value_t<Out>> &&
    std::is_same_v<std::iter_reference_t<Out>, std::iter_value_t<Out>&>;

struct partial_sort_copy_call {
  template <class How, class In, class Out, class Compare>
  static Out run(const How& how, In first, In last, Out out_first, Out out_last, Compare&& comp) {
    if constexpr (How::is_parallel && indexed_iterator<In> && indexable_output<Out> &&
                  std::is_lvalue_reference_v<std::iter_reference_t<In>>) {
      const auto n = static_cast<std::size_t>(last - first);
      const std::size_t size = std::min(n, static_cast<std::size_t>(out_last - out_first));
      if (size == n && n != 0) {
        copy_all(how, first, n, out_first);
        sort_call::run(how, out_first, advanced(out_first, n), comp);
        return advanced(out_first, n);
      }
      if constexpr (predicate_on<Compare, In, In>) {  // which nobody need be able to do
        if (n >= partial_sort_from && size != 0 && by_order(how, first, n, size, out_first, comp)) {
          return advanced(out_first, size);
        }
      }
    }
    if constexpr (is_insertable<In, Out>) {
      constexpr std::ptrdiff_t few = 16;
      const auto room = static_cast<std::ptrdiff_t>(out_last - out_first);
      if (room <= few) {
        return room == 0
                   ? out_first
                   : insert_least(first, last, out_first, static_cast<std::size_t>(room), comp);
      }
    }
    if constexpr (std::is_same_v<std::iter_value_t<In>, std::iter_value_t<Out>>) {
      return std::partial_sort_copy(first, last, out_first, out_last, comp);
    } else {
      return copy_by_heap(first, last, out_first, out_last, comp);
    }
  }

 private:
  template <class How, class In, class Out>
  static void copy_all(const How& how, const In& from, std::size_t n, const Out& to) {
    if (n < partial_sort_from) {
      std::copy_n(from, n, to);
    } else {
      copy_numbered(how, from, n, to, [](std::size_t i) { return i; });
    }
  }

  /// Keeps the least in a heap of results: compares them with elements, in that order alone, and
  /// with each other.
  template <class In, class Out, class Compare>
  static Out copy_by_heap(In first, const In& last, Out out_first, Out out_last, Compare& comp) {
    Out end = out_first;
    for (; first != last && end != out_last; ++first, ++end) {
      *end = *first;
    }
    if (end == out_first) {
      return end;
    }
    std::make_heap(out_first, end, std::ref(comp));
    for (; first != last; ++first) {
      if (static_cast<bool>(comp(*first, *out_first))) {
        std::pop_heap(out_first, end, std::ref(comp));
        *std::prev(end) = *first;
        std::push_heap(out_first, end, std::ref(comp));
      }
    }
    std::sort_heap(out_first, end, std::ref(comp));
    return end;
  }

  /// Writes element `number(i)` to place i.
  template <class How, class In, class Out, class Number>
  static void copy_numbered(const How& how, In from, std::size_t n, Out to, Number number) {
    const std::size_t num_parts = std::clamp<std::size_t>(n >> 12U, 1, 8 * num_shares(how));
    for_tasks(how, num_parts, [&](std::size_t part) {
      const std::size_t last = part_begin(n, num_parts, part + 1);
      for (std::size_t i = part_begin(n, num_parts, part); i < last; ++i) {
        *advanced(to, i) = *advanced(from, number(i));
      }
    });
  }

  /// Selects and sorts numbers of elements, so that only those that are wanted are copied. False:
  /// memory was short.
  template <class How, class In, class Out, class Compare>
  static bool by_order(
      const How& how, In first, std::size_t n, std::size_t size, Out out, Compare& comp) {
    const scratch<std::size_t> numbers(n);
    if (!numbers) {
      return false;
    }
    number_elements(how, {numbers.data(), n});
    compare_at<In, std::remove_reference_t<Compare>> by_number{first, std::addressof(comp)};
    select(how, numbers.data(), n, size, by_number);
    sort_call::run(how, numbers.data(), numbers.data() + size, by_number);
    copy_numbered(how, first, size, out, [&numbers](std::size_t i) { return numbers.data()[i]; });
    return true;
  }
};

}  // namespace algorithms::detail

/// Sorts by `comp` as many of [first, last) as [first, middle) takes, the first ones; what remains
/// lies behind them in any order.
///
/// Cost:    a selection of O(n) and a sort of the m first: O(n + m log m) comparisons; in place.
/// Threads: with a parallel policy `comp` is called from several at once.
/// Errors:  the first exception that `comp` or a copy throws; the elements are then valid, and no
///          more is known of them.
/// Example: tests/algorithms/selection_test.cpp: splits_around_every_rank.
template <execution_policy Policy,
          std::random_access_iterator It,
          algorithms::detail::predicate_on<It, It> Compare>
  requires algorithms::detail::moves_within<It>
algorithm_result_t<Policy, void> partial_sort(
    Policy&& policy, It first, It middle, It last, Compare comp) {
  return algorithms::detail::launch<algorithms::detail::partial_sort_call>(
      policy, first, middle, last, algorithms::detail::comparing_constants<It>(std::move(comp)));
}

/// As above, by `<`.
template <execution_policy Policy, std::random_access_iterator It>
  requires algorithms::detail::predicate_on<std::less<>, It, It> &&
           algorithms::detail::moves_within<It>
algorithm_result_t<Policy, void> partial_sort(Policy&& policy, It first, It middle, It last) {
  return algorithms::detail::launch<algorithms::detail::partial_sort_call>(
      policy, first, middle, last, std::less<>());
}

/// Copies the first elements of [first, last) by `comp`, sorted, to [out_first, out_last).
///
/// Copies as many as there are and as there is room for. Returns the end of the result.
///
/// Cost:    O(n + m log m) comparisons for a result of m; memory for n numbers, without which the
///          caller does it alone.
/// Threads: with a parallel policy `comp` is called from several at once.
/// Errors:  the first exception that `comp` or a copy throws.
/// Example: tests/algorithms/selection_test.cpp: splits_around_every_rank.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator In,
          std::random_access_iterator Out,
          algorithms::detail::predicate_on<In, Out> Compare>
  requires algorithms::detail::predicate_on<Compare, Out, Out> &&
           algorithms::detail::takes_elements_of<Out, In>
algorithm_result_t<Policy, Out> partial_sort_copy(
    Policy&& policy, In first, In last, Out out_first, Out out_last, Compare comp) {
  return algorithms::detail::launch<algorithms::detail::partial_sort_copy_call>(
      policy,
      first,
      last,
      out_first,
      out_last,
      algorithms::detail::comparing_constants<In, Out>(std::move(comp)));
}

/// As above, by `<`.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator In,
          std::random_access_iterator Out>
  requires algorithms::detail::predicate_on<std::less<>, In, Out> &&
           algorithms::detail::predicate_on<std::less<>, Out, Out> &&
           algorithms::detail::takes_elements_of<Out, In>
algorithm_result_t<Policy, Out> partial_sort_copy(
    Policy&& policy, In first, In last, Out out_first, Out out_last) {
  return algorithms::detail::launch<algorithms::detail::partial_sort_copy_call>(
      policy, first, last, out_first, out_last, std::less<>());
}

}  // namespace weft
