// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Order in a range: all of it, its least elements, one element; and two ordered parts merged.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

#include "weft/algorithms/detail/calls/range_forms.hpp"
#include "weft/algorithms/inplace_merge.hpp"
#include "weft/algorithms/nth_element.hpp"
#include "weft/algorithms/partial_sort.hpp"
#include "weft/algorithms/sort.hpp"
#include "weft/algorithms/stable_sort.hpp"

namespace weft {

namespace algorithms::detail {

struct sorts {
  using default_call = std::ranges::less;
  template <class It, class Comp, class Proj>
  static constexpr bool allows = std::random_access_iterator<It> && std::sortable<It, Comp, Proj>;
};
struct range_sort : gives_iterator, sorts {
  static auto run(const auto& how, auto in, auto less) {
    weft::sort(how, in.first, in.last, std::move(less));
    return in.last;
  }
};
struct range_stable_sort : gives_iterator, sorts {
  static auto run(const auto& how, auto in, auto less) {
    weft::stable_sort(how, in.first, in.last, std::move(less));
    return in.last;
  }
};
struct range_partial_sort : sorts {
  static void run(const auto& how, auto in, auto middle, auto less) {
    weft::partial_sort(how, in.first, middle, in.last, std::move(less));
  }
};
struct range_nth_element : sorts {
  static void run(const auto& how, auto in, auto nth, auto less) {
    weft::nth_element(how, in.first, nth, in.last, std::move(less));
  }
};
struct range_inplace_merge {
  template <class It, class Comp, class Proj>
  static constexpr bool allows = std::bidirectional_iterator<It> && std::sortable<It, Comp, Proj>;
  static void run(const auto& how, auto in, auto middle, auto less) {
    weft::inplace_merge(how, in.first, middle, in.last, std::move(less));
  }
};

struct range_partial_sort_copy {
  template <class Range, class Output>
  using result = std::ranges::partial_sort_copy_result<std::ranges::borrowed_iterator_t<Range>,
                                                       std::ranges::borrowed_iterator_t<Output>>;

  // Parameters are those of the standard's algorithm.
  // NOLINTBEGIN(readability-function-size)
  template <execution_policy Policy,
            range_for<Policy> Range,
            random_access_range_for<Policy> Output,
            class Comp = std::ranges::less,
            class Proj = std::identity,
            class OutputProj = std::identity>
    requires std::indirectly_copyable<std::ranges::iterator_t<Range>,
                                      std::ranges::iterator_t<Output>> &&
             std::sortable<std::ranges::iterator_t<Output>, Comp, OutputProj> &&
             std::indirect_strict_weak_order<
                 Comp,
                 std::projected<std::ranges::iterator_t<Range>, Proj>,
                 std::projected<std::ranges::iterator_t<Output>, OutputProj>>
  auto operator()(Policy&& policy,
                  Range&& range,
                  Output&& output,
                  Comp comp = {},
                  Proj proj = {},
                  OutputProj output_proj = {}) const
      -> algorithm_result_t<Policy, result<Range, Output>> {
    return call_range<result<Range, Output>>(
        policy,
        [in = bounds_of(range),
         out = bounds_of(output),
         comp = std::move(comp),
         proj = std::move(proj),
         output_proj = std::move(output_proj)](const auto& how) mutable {
          return run(how, in, out, std::move(comp), std::move(proj), std::move(output_proj));
        });
  }
  template <execution_policy Policy,
            std::forward_iterator It,
            std::sentinel_for<It> Last,
            std::random_access_iterator Output,
            std::sentinel_for<Output> OutputLast,
            class Comp = std::ranges::less,
            class Proj = std::identity,
            class OutputProj = std::identity>
    requires std::indirectly_copyable<It, Output> && std::sortable<Output, Comp, OutputProj> &&
             std::indirect_strict_weak_order<Comp,
                                             std::projected<It, Proj>,
                                             std::projected<Output, OutputProj>>
  auto operator()(Policy&& policy,
                  It first,
                  Last last,
                  Output output,
                  OutputLast output_last,
                  Comp comp = {},
                  Proj proj = {},
                  OutputProj output_proj = {}) const
      -> algorithm_result_t<Policy, std::ranges::partial_sort_copy_result<It, Output>> {
    return (*this)(policy,
                   subrange_of<It, Last>(first, last),
                   subrange_of<Output, OutputLast>(output, output_last),
                   std::move(comp),
                   std::move(proj),
                   std::move(output_proj));
  }

 private:
  template <class It, class Output, class Comp, class Proj, class OutputProj>
  static auto run(const auto& how,
                  bounds<It> in,
                  bounds<Output> out,
                  Comp comp,
                  Proj proj,
                  OutputProj output_proj) {
    if constexpr (std::is_same_v<Proj, OutputProj> &&
                  std::is_same_v<std::iter_value_t<It>, std::iter_value_t<Output>>) {
      if (are_same_projections(proj, output_proj)) {
        Output end = weft::partial_sort_copy(
            how, in.first, in.last, out.first, out.last, project(std::move(comp), std::move(proj)));
        return std::ranges::in_out_result<It, Output>{in.last, std::move(end)};
      }
    }
    return std::ranges::partial_sort_copy(in.first,
                                          in.last,
                                          out.first,
                                          out.last,
                                          std::move(comp),
                                          std::move(proj),
                                          std::move(output_proj));
  }
  // NOLINTEND(readability-function-size)
};

}  // namespace algorithms::detail

namespace ranges {

/// Sorts a range: `sort(policy, range, less = {}, proj = {})`; returns its end.
/// Example: tests/algorithms/ranges_sort_test.cpp: sorts_by_projection.
inline constexpr algorithms::detail::comparison_form<algorithms::detail::range_sort> sort;
/// Sorts a range and keeps the order of equal elements.
inline constexpr algorithms::detail::comparison_form<algorithms::detail::range_stable_sort>
    stable_sort;
/// Brings the least elements, sorted, before `middle`: `partial_sort(policy, range, middle, less =
/// {}, proj = {})`.
inline constexpr algorithms::detail::middle_form<algorithms::detail::range_partial_sort>
    partial_sort;
/// Brings to `nth` what sorting would, nothing greater before it and nothing less behind.
inline constexpr algorithms::detail::middle_form<algorithms::detail::range_nth_element> nth_element;
/// Merges what is before `middle` with what is behind it, both sorted.
inline constexpr algorithms::detail::middle_form<algorithms::detail::range_inplace_merge>
    inplace_merge;
/// Copies the least elements, sorted, to a range: `partial_sort_copy(policy, range, output, less =
/// {}, proj = {}, output_proj = {})`. With two different projections the caller does it alone.
inline constexpr algorithms::detail::range_partial_sort_copy partial_sort_copy;

}  // namespace ranges
}  // namespace weft
