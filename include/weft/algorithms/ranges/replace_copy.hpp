// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of a range with some values replaced.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <ranges>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/calls/range_forms.hpp"
#include "weft/algorithms/replace.hpp"

// Parameters are those of the standard's algorithms.
// NOLINTBEGIN(readability-function-size)

namespace weft {

namespace algorithms::detail {

template <class Range, class Output>
using replace_copy_result_of =
    std::ranges::in_out_result<std::ranges::borrowed_iterator_t<Range>, sink_result_t<Output>>;

struct range_replace_copy_if {
  template <
      execution_policy Policy,
      range_for<Policy> Range,
      output_for<Policy> Output,
      class Value = std::iter_value_t<sink_iterator<Output>>,
      class Proj = std::identity,
      std::indirect_unary_predicate<std::projected<std::ranges::iterator_t<Range>, Proj>> Pred>
    requires std::indirectly_copyable<std::ranges::iterator_t<Range>, sink_iterator<Output>> &&
             std::indirectly_writable<sink_iterator<Output>, const Value&>
  auto operator()(Policy&& policy,
                  Range&& range,
                  Output&& output,
                  Pred pred,
                  const Value& value,
                  Proj proj = {}) const
      -> algorithm_result_t<Policy, replace_copy_result_of<Range, Output>> {
    return call_range<replace_copy_result_of<Range, Output>>(
        policy,
        [in = bounds_of(range),
         out = sink_of(output),
         asked = project(std::move(pred), std::move(proj)),
         kept = kept_value<Policy, Value>{value}](const auto& how) mutable {
          auto last = std::ranges::next(in.first, out.fitting(in.size()));
          auto end =
              weft::replace_copy_if(how, in.first, last, out.first, std::move(asked), kept.value);
          return std::ranges::in_out_result{std::move(last), std::move(end)};
        });
  }
  template <execution_policy Policy,
            std::forward_iterator It,
            std::sentinel_for<It> Last,
            std::forward_iterator Output,
            std::sentinel_for<Output> OutputLast,
            class Value = std::iter_value_t<Output>,
            class Proj = std::identity,
            std::indirect_unary_predicate<std::projected<It, Proj>> Pred>
    requires std::indirectly_copyable<It, Output> && std::indirectly_writable<Output, const Value&>
  auto operator()(Policy&& policy,
                  It first,
                  Last last,
                  Output output,
                  OutputLast output_last,
                  Pred pred,
                  const Value& value,
                  Proj proj = {}) const
      -> algorithm_result_t<Policy, std::ranges::in_out_result<It, Output>> {
    return (*this)(policy,
                   subrange_of<It, Last>(first, last),
                   subrange_of<Output, OutputLast>(output, output_last),
                   std::move(pred),
                   value,
                   std::move(proj));
  }
};

struct range_replace_copy {
  template <execution_policy Policy,
            range_for<Policy> Range,
            output_for<Policy> Output,
            class Proj = std::identity,
            class Old = std::iter_value_t<std::projected<std::ranges::iterator_t<Range>, Proj>>,
            class New = std::iter_value_t<sink_iterator<Output>>>
    requires std::indirectly_copyable<std::ranges::iterator_t<Range>, sink_iterator<Output>> &&
             std::indirectly_writable<sink_iterator<Output>, const New&> &&
             std::indirect_binary_predicate<std::ranges::equal_to,
                                            std::projected<std::ranges::iterator_t<Range>, Proj>,
                                            const Old*>
  auto operator()(Policy&& policy,
                  Range&& range,
                  Output&& output,
                  const Old& old_value,
                  const New& new_value,
                  Proj proj = {}) const
      -> algorithm_result_t<Policy, replace_copy_result_of<Range, Output>> {
    return call_range<replace_copy_result_of<Range, Output>>(
        policy,
        [in = bounds_of(range),
         out = sink_of(output),
         from = kept_value<Policy, Old>{old_value},
         to = kept_value<Policy, New>{new_value},
         proj = std::move(proj)](const auto& how) mutable {
          auto last = std::ranges::next(in.first, out.fitting(in.size()));
          auto end = weft::replace_copy_if(
              how,
              in.first,
              last,
              out.first,
              equals_value<Old, Proj>{std::addressof(from.value), std::move(proj)},
              to.value);
          return std::ranges::in_out_result{std::move(last), std::move(end)};
        });
  }
  template <execution_policy Policy,
            std::forward_iterator It,
            std::sentinel_for<It> Last,
            std::forward_iterator Output,
            std::sentinel_for<Output> OutputLast,
            class Proj = std::identity,
            class Old = std::iter_value_t<std::projected<It, Proj>>,
            class New = std::iter_value_t<Output>>
    requires std::indirectly_copyable<It, Output> && std::indirectly_writable<Output, const New&> &&
             std::indirect_binary_predicate<std::ranges::equal_to,
                                            std::projected<It, Proj>,
                                            const Old*>
  auto operator()(Policy&& policy,
                  It first,
                  Last last,
                  Output output,
                  OutputLast output_last,
                  const Old& old_value,
                  const New& new_value,
                  Proj proj = {}) const
      -> algorithm_result_t<Policy, std::ranges::in_out_result<It, Output>> {
    return (*this)(policy,
                   subrange_of<It, Last>(first, last),
                   subrange_of<Output, OutputLast>(output, output_last),
                   old_value,
                   new_value,
                   std::move(proj));
  }
};

}  // namespace algorithms::detail

namespace ranges {

/// Copies a range, with a new value for elements whose projections equal `old`:
/// `replace_copy(policy, range, output, old, new, proj = {})`.
inline constexpr algorithms::detail::range_replace_copy replace_copy;
/// Copies a range, with a value for elements for which a predicate is true:
/// `replace_copy_if(policy, range, output, pred, value, proj = {})`.
inline constexpr algorithms::detail::range_replace_copy_if replace_copy_if;

}  // namespace ranges
}  // namespace weft

// NOLINTEND(readability-function-size)
