// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranges beside ranges: equal, mismatch, order, subsequences; and whether a range is in order.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

#include "weft/algorithms/contains.hpp"
#include "weft/algorithms/detail/calls/range_forms.hpp"
#include "weft/algorithms/equal.hpp"
#include "weft/algorithms/includes.hpp"
#include "weft/algorithms/is_heap.hpp"
#include "weft/algorithms/is_partitioned.hpp"
#include "weft/algorithms/is_sorted.hpp"
#include "weft/algorithms/lexicographical_compare.hpp"
#include "weft/algorithms/mismatch.hpp"
#include "weft/algorithms/search.hpp"
#include "weft/algorithms/starts_with.hpp"

namespace weft {

namespace algorithms::detail {

struct compares_equal {
  static constexpr bool compares_both_ways = false;
  using default_call = std::ranges::equal_to;
  template <class A, class B, class Comp, class ProjA, class ProjB>
  static constexpr bool allows = std::indirectly_comparable<A, B, Comp, ProjA, ProjB>;
};
struct compares_order {
  static constexpr bool compares_both_ways = true;
  using default_call = std::ranges::less;
  template <class A, class B, class Comp, class ProjA, class ProjB>
  static constexpr bool allows =
      std::indirect_strict_weak_order<Comp, std::projected<A, ProjA>, std::projected<B, ProjB>>;
};
struct asks_order {
  using default_call = std::ranges::less;
  template <class It, class Comp, class Proj>
  static constexpr bool allows = std::indirect_strict_weak_order<Comp, std::projected<It, Proj>>;
};
struct gives_first_subrange {
  template <class Range, class Other>
  using result = std::ranges::borrowed_subrange_t<Range>;
};

struct range_equal : gives<bool>, compares_equal {
  static bool run(const auto& how, auto a, auto b, auto equal) {
    return weft::equal(how, a.first, a.last, b.first, b.last, std::move(equal));
  }
};
struct range_mismatch : compares_equal {
  template <class A, class B>
  using result = std::ranges::mismatch_result<std::ranges::borrowed_iterator_t<A>,
                                              std::ranges::borrowed_iterator_t<B>>;
  template <class A, class B>
  static auto run(const auto& how, bounds<A> a, bounds<B> b, auto equal) {
    auto [in1, in2] = weft::mismatch(how, a.first, a.last, b.first, b.last, std::move(equal));
    return std::ranges::mismatch_result<A, B>{std::move(in1), std::move(in2)};
  }
};
struct range_lexicographical_compare : gives<bool>, compares_order {
  static bool run(const auto& how, auto a, auto b, auto less) {
    return weft::lexicographical_compare(how, a.first, a.last, b.first, b.last, std::move(less));
  }
};

/// Projections of searches apply to elements of the range and of the pattern, in this order.
struct range_search : gives_first_subrange, compares_equal {
  static auto run(const auto& how, auto in, auto pattern, auto equal) {
    auto found =
        weft::search(how, in.first, in.last, pattern.first, pattern.last, std::move(equal));
    auto end = found == in.last ? found : std::ranges::next(found, pattern.size());
    return std::ranges::subrange(std::move(found), std::move(end));
  }
};
struct range_find_end : gives_first_subrange, compares_equal {
  static auto run(const auto& how, auto in, auto pattern, auto equal) {
    auto found =
        weft::find_end(how, in.first, in.last, pattern.first, pattern.last, std::move(equal));
    auto end = found == in.last ? found : std::ranges::next(found, pattern.size());
    return std::ranges::subrange(std::move(found), std::move(end));
  }
};
struct range_contains_subrange : gives<bool>, compares_equal {
  static bool run(const auto& how, auto in, auto pattern, auto equal) {
    return pattern.first == pattern.last ||
           weft::search(how, in.first, in.last, pattern.first, pattern.last, std::move(equal)) !=
               in.last;
  }
};
struct range_starts_with : gives<bool>, compares_equal {
  static bool run(const auto& how, auto in, auto pattern, auto equal) {
    return weft::starts_with(how, in.first, in.last, pattern.first, pattern.last, std::move(equal));
  }
};
struct range_ends_with : gives<bool>, compares_equal {
  static bool run(const auto& how, auto in, auto pattern, auto equal) {
    return weft::ends_with(how, in.first, in.last, pattern.first, pattern.last, std::move(equal));
  }
};
struct range_includes : gives<bool>, compares_order {
  static bool run(const auto& how, auto in, auto part, auto less) {
    return weft::includes(how, in.first, in.last, part.first, part.last, std::move(less));
  }
};

struct range_search_n {
  // Parameters are those of the standard's algorithm.
  // NOLINTBEGIN(readability-function-size)
  template <execution_policy Policy,
            range_for<Policy> Range,
            class Comp = std::ranges::equal_to,
            class Proj = std::identity,
            class Value = std::iter_value_t<std::projected<std::ranges::iterator_t<Range>, Proj>>>
    requires std::indirectly_comparable<std::ranges::iterator_t<Range>, const Value*, Comp, Proj>
  auto operator()(Policy&& policy,
                  Range&& range,
                  std::ranges::range_difference_t<Range> count,
                  const Value& value,
                  Comp equal = {},
                  Proj proj = {}) const
      -> algorithm_result_t<Policy, std::ranges::borrowed_subrange_t<Range>> {
    return call_range<std::ranges::borrowed_subrange_t<Range>>(
        policy,
        [in = bounds_of(range),
         count,
         kept = kept_value<Policy, Value>{value},
         compare =
             project(std::move(equal), std::move(proj), std::identity())](const auto& how) mutable {
          auto found =
              weft::search_n(how, in.first, in.last, count, kept.value, std::move(compare));
          auto end = found == in.last ? found : std::ranges::next(found, std::max(count, {}));
          return std::ranges::subrange(std::move(found), std::move(end));
        });
  }

  template <execution_policy Policy,
            std::forward_iterator It,
            std::sentinel_for<It> Last,
            class Comp = std::ranges::equal_to,
            class Proj = std::identity,
            class Value = std::iter_value_t<std::projected<It, Proj>>>
    requires std::indirectly_comparable<It, const Value*, Comp, Proj>
  auto operator()(Policy&& policy,
                  It first,
                  Last last,
                  std::iter_difference_t<It> count,
                  const Value& value,
                  Comp equal = {},
                  Proj proj = {}) const -> algorithm_result_t<Policy, std::ranges::subrange<It>> {
    return (*this)(policy,
                   subrange_of<It, Last>(first, last),
                   count,
                   value,
                   std::move(equal),
                   std::move(proj));
  }
  // NOLINTEND(readability-function-size)
};

struct range_is_sorted : gives<bool>, asks_order {
  static bool run(const auto& how, auto in, auto less) {
    return weft::is_sorted(how, in.first, in.last, std::move(less));
  }
};
struct range_is_sorted_until : gives_iterator, asks_order {
  static auto run(const auto& how, auto in, auto less) {
    return weft::is_sorted_until(how, in.first, in.last, std::move(less));
  }
};
struct asks_heap : asks_order {
  template <class It, class Comp, class Proj>
  static constexpr bool allows =
      std::random_access_iterator<It> && asks_order::allows<It, Comp, Proj>;
};
struct range_is_heap : gives<bool>, asks_heap {
  static bool run(const auto& how, auto in, auto less) {
    return weft::is_heap(how, in.first, in.last, std::move(less));
  }
};
struct range_is_heap_until : gives_iterator, asks_heap {
  static auto run(const auto& how, auto in, auto less) {
    return weft::is_heap_until(how, in.first, in.last, std::move(less));
  }
};
struct range_is_partitioned : gives<bool>, reads {
  static bool run(const auto& how, auto in, auto pred) {
    return weft::is_partitioned(how, in.first, in.last, std::move(pred));
  }
};

}  // namespace algorithms::detail

namespace ranges {

/// Whether two ranges are equal: `equal(policy, a, b, equal = {}, proj_a = {}, proj_b = {})`.
inline constexpr algorithms::detail::two_range_form<algorithms::detail::range_equal> equal;
/// Where two ranges first differ, in both.
inline constexpr algorithms::detail::two_range_form<algorithms::detail::range_mismatch> mismatch;
/// Whether the first range comes before the second, as words in a dictionary.
inline constexpr algorithms::detail::two_range_form<
    algorithms::detail::range_lexicographical_compare>
    lexicographical_compare;

/// The first place where a pattern stands: `search(policy, range, pattern, equal = {}, proj = {},
/// pattern_proj = {})`; empty, at the end: nowhere.
inline constexpr algorithms::detail::two_range_form<algorithms::detail::range_search> search;
/// The first run of `count` equal elements: `search_n(policy, range, count, value, equal = {},
/// proj = {})`.
inline constexpr algorithms::detail::range_search_n search_n;
/// The last place where a pattern stands.
inline constexpr algorithms::detail::two_range_form<algorithms::detail::range_find_end> find_end;
/// Whether a pattern stands somewhere.
inline constexpr algorithms::detail::two_range_form<algorithms::detail::range_contains_subrange>
    contains_subrange;
/// Whether a range begins with another.
inline constexpr algorithms::detail::two_range_form<algorithms::detail::range_starts_with>
    starts_with;
/// Whether a range ends with another.
inline constexpr algorithms::detail::two_range_form<algorithms::detail::range_ends_with> ends_with;
/// Whether a sorted range has all elements of another sorted one.
inline constexpr algorithms::detail::two_range_form<algorithms::detail::range_includes> includes;

/// Whether a range is sorted: `is_sorted(policy, range, less = {}, proj = {})`.
inline constexpr algorithms::detail::comparison_form<algorithms::detail::range_is_sorted> is_sorted;
/// The first element that is out of order.
inline constexpr algorithms::detail::comparison_form<algorithms::detail::range_is_sorted_until>
    is_sorted_until;
/// Whether a range is a heap.
inline constexpr algorithms::detail::comparison_form<algorithms::detail::range_is_heap> is_heap;
/// The first element that breaks the heap.
inline constexpr algorithms::detail::comparison_form<algorithms::detail::range_is_heap_until>
    is_heap_until;
/// Whether no element for which a predicate is false comes before one for which it is true.
inline constexpr algorithms::detail::predicate_form<algorithms::detail::range_is_partitioned>
    is_partitioned;

}  // namespace ranges
}  // namespace weft
