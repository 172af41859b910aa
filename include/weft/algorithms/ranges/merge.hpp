// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two sorted ranges made one: merged, or as sets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

#include "weft/algorithms/detail/calls/range_forms.hpp"
#include "weft/algorithms/detail/merging/split_merge.hpp"
#include "weft/algorithms/merge.hpp"
#include "weft/algorithms/set_operations.hpp"

// Parameters are those of the standard's algorithms.
// NOLINTBEGIN(readability-function-size)

namespace weft {

namespace algorithms::detail {

/// `(range, range, output, comparison, projections)`: `Algorithm::run(policy, bounds, bounds, sink,
/// order)`.
template <class Algorithm>
struct merge_form {
  template <class A, class B, class Output>
  using result = std::ranges::in_in_out_result<std::ranges::borrowed_iterator_t<A>,
                                               std::ranges::borrowed_iterator_t<B>,
                                               sink_result_t<Output>>;

  template <execution_policy Policy,
            range_for<Policy> A,
            range_for<Policy> B,
            output_for<Policy> Output,
            class Comp = std::ranges::less,
            class ProjA = std::identity,
            class ProjB = std::identity>
    requires std::mergeable<std::ranges::iterator_t<A>,
                            std::ranges::iterator_t<B>,
                            sink_iterator<Output>,
                            Comp,
                            ProjA,
                            ProjB>
  auto operator()(Policy&& policy,
                  A&& a,
                  B&& b,
                  Output&& output,
                  Comp comp = {},
                  ProjA proj_a = {},
                  ProjB proj_b = {}) const -> algorithm_result_t<Policy, result<A, B, Output>> {
    return call_range<result<A, B, Output>>(
        policy,
        [a = bounds_of(a),
         b = bounds_of(b),
         out = sink_of(output),
         order = two_way_order<Comp, ProjA, ProjB>{
             std::move(comp), std::move(proj_a), std::move(proj_b)}](const auto& how) mutable {
          return Algorithm::run(how, a, b, out, std::move(order));
        });
  }

  template <execution_policy Policy,
            std::forward_iterator A,
            std::sentinel_for<A> LastA,
            std::forward_iterator B,
            std::sentinel_for<B> LastB,
            std::forward_iterator Output,
            std::sentinel_for<Output> OutputLast = std::unreachable_sentinel_t,
            class Comp = std::ranges::less,
            class ProjA = std::identity,
            class ProjB = std::identity>
    requires std::mergeable<A, B, Output, Comp, ProjA, ProjB>
  auto operator()(Policy&& policy,
                  A first_a,
                  LastA last_a,
                  B first_b,
                  LastB last_b,
                  Output output,
                  OutputLast output_last = {},
                  Comp comp = {},
                  ProjA proj_a = {},
                  ProjB proj_b = {}) const
      -> algorithm_result_t<Policy, std::ranges::in_in_out_result<A, B, Output>> {
    return (*this)(policy,
                   subrange_of<A, LastA>(first_a, last_a),
                   subrange_of<B, LastB>(first_b, last_b),
                   subrange_of<Output, OutputLast>(output, output_last),
                   std::move(comp),
                   std::move(proj_a),
                   std::move(proj_b));
  }
};

struct range_merge {
  template <class A, class B, class Output, class Order>
  static merged<A, B, Output> run(
      const auto& how, bounds<A> a, bounds<B> b, sink<Output> out, Order order) {
    const std::ptrdiff_t n = a.size() + b.size();
    if (out.room < n) {
      const std::ptrdiff_t from_a = split_of_merge(a, b, out.room, order);
      a.last = std::ranges::next(a.first, from_a);
      b.last = std::ranges::next(b.first, out.room - from_a);
    }
    Output end = merge_as(how, a, b, std::move(out.first), std::move(order));
    return {std::move(a.last), std::move(b.last), std::move(end)};
  }

 private:
  template <class A, class B, class Output, class Order>
  static Output merge_as(const auto& how, bounds<A> a, bounds<B> b, Output out, Order order) {
    if constexpr (Order::must_be_one_way) {
      return weft::merge(how,
                         a.first,
                         a.last,
                         b.first,
                         b.last,
                         out,
                         project(std::move(order.comp), std::move(order.proj_a)));
    } else {
      if constexpr (Order::may_be_one_way) {
        if (order.is_one_way()) {
          return weft::merge(how,
                             a.first,
                             a.last,
                             b.first,
                             b.last,
                             out,
                             project(std::move(order.comp), std::move(order.proj_a)));
        }
      }
      return merge_two_ways(how, a, b, std::move(out), std::move(order));
    }
  }
};

/// `Set::run(policy, bounds, bounds, output, comparison)` unless there may be too little room, or
/// two projections.
template <class Set>
struct range_set {
  template <class A, class B, class Output, class Order>
  static merged<A, B, Output> run(
      const auto& how, bounds<A> a, bounds<B> b, sink<Output> out, Order order) {
    if constexpr (Order::may_be_one_way) {
      if (order.is_one_way() && out.room >= Set::choice.limit(a.size(), b.size())) {
        Output end =
            Set::run(how, a, b, out.first, project(std::move(order.comp), std::move(order.proj_a)));
        return {std::move(a.last), std::move(b.last), std::move(end)};
      }
    }
    return set_operation_into_room(Set::choice, a, b, out, std::move(order));
  }
};

struct union_of_sets {
  static constexpr set_choice choice{.only_a = true, .only_b = true, .both = true};
  static auto run(const auto& how, auto a, auto b, auto out, auto less) {
    return weft::set_union(how, a.first, a.last, b.first, b.last, out, std::move(less));
  }
};
struct intersection_of_sets {
  static constexpr set_choice choice{.only_a = false, .only_b = false, .both = true};
  static auto run(const auto& how, auto a, auto b, auto out, auto less) {
    return weft::set_intersection(how, a.first, a.last, b.first, b.last, out, std::move(less));
  }
};
struct difference_of_sets {
  static constexpr set_choice choice{.only_a = true, .only_b = false, .both = false};
  static auto run(const auto& how, auto a, auto b, auto out, auto less) {
    return weft::set_difference(how, a.first, a.last, b.first, b.last, out, std::move(less));
  }
};
struct symmetric_difference_of_sets {
  static constexpr set_choice choice{.only_a = true, .only_b = true, .both = false};
  static auto run(const auto& how, auto a, auto b, auto out, auto less) {
    return weft::set_symmetric_difference(
        how, a.first, a.last, b.first, b.last, out, std::move(less));
  }
};

}  // namespace algorithms::detail

namespace ranges {

/// Merges two sorted ranges: `merge(policy, a, b, output, less = {}, proj_a = {}, proj_b = {})`;
/// equal elements of `a` come first. As many as the output has room for; returns where all ended.
/// Example: tests/algorithms/ranges_sort_test.cpp: merges_as_much_as_there_is_room_for.
inline constexpr algorithms::detail::merge_form<algorithms::detail::range_merge> merge;
/// The elements that are in either of two sorted ranges. All set operations: where the output may
/// have too little room, or projections differ, the caller does it alone.
inline constexpr algorithms::detail::merge_form<
    algorithms::detail::range_set<algorithms::detail::union_of_sets>>
    set_union;
/// The elements that are in both of two sorted ranges.
inline constexpr algorithms::detail::merge_form<
    algorithms::detail::range_set<algorithms::detail::intersection_of_sets>>
    set_intersection;
/// The elements of the first of two sorted ranges that are not in the second.
inline constexpr algorithms::detail::merge_form<
    algorithms::detail::range_set<algorithms::detail::difference_of_sets>>
    set_difference;
/// The elements that are in exactly one of two sorted ranges.
inline constexpr algorithms::detail::merge_form<
    algorithms::detail::range_set<algorithms::detail::symmetric_difference_of_sets>>
    set_symmetric_difference;

}  // namespace ranges
}  // namespace weft

// NOLINTEND(readability-function-size)
