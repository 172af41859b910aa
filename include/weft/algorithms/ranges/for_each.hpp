// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls a function with every element of a range.
#pragma once

#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

#include "weft/algorithms/detail/calls/range_forms.hpp"
#include "weft/algorithms/for_each.hpp"
#include "weft/algorithms/policy.hpp"

namespace weft {

namespace algorithms::detail {

struct range_for_each {
  template <execution_policy Policy,
            range_for<Policy> Range,
            class Proj = std::identity,
            std::indirectly_unary_invocable<std::projected<std::ranges::iterator_t<Range>, Proj>> F>
  auto operator()(Policy&& policy, Range&& range, F f, Proj proj = {}) const
      -> algorithm_result_t<Policy, std::ranges::borrowed_iterator_t<Range>> {
    return call_range<std::ranges::borrowed_iterator_t<Range>>(
        policy,
        [in = bounds_of(range),
         called = project(std::move(f), std::move(proj))](const auto& how) mutable {
          weft::for_each(how, in.first, in.last, std::move(called));
          return in.last;
        });
  }

  template <execution_policy Policy,
            std::forward_iterator It,
            std::sentinel_for<It> Last,
            class Proj = std::identity,
            std::indirectly_unary_invocable<std::projected<It, Proj>> F>
  auto operator()(Policy&& policy, It first, Last last, F f, Proj proj = {}) const
      -> algorithm_result_t<Policy, It> {
    return (*this)(policy, subrange_of<It, Last>(first, last), std::move(f), std::move(proj));
  }
};

struct range_for_each_n {
  template <execution_policy Policy,
            std::forward_iterator It,
            class Proj = std::identity,
            std::indirectly_unary_invocable<std::projected<It, Proj>> F>
  auto operator()(Policy&& policy, It first, std::iter_difference_t<It> n, F f, Proj proj = {})
      const -> algorithm_result_t<Policy, It> {
    return call_range<It>(
        policy,
        [first, n, called = project(std::move(f), std::move(proj))](const auto& how) mutable {
          return weft::for_each_n(how, first, n, std::move(called));
        });
  }
};

}  // namespace algorithms::detail

namespace ranges {

/// Calls `f` with the projection of every element: `for_each(policy, range, f, proj = {})`; returns
/// the end.
/// Example: tests/algorithms/ranges_write_test.cpp: calls_with_projections.
inline constexpr algorithms::detail::range_for_each for_each;
/// The same for `n` elements from an iterator: `for_each_n(policy, first, n, f, proj = {})`.
inline constexpr algorithms::detail::range_for_each_n for_each_n;

}  // namespace ranges
}  // namespace weft
