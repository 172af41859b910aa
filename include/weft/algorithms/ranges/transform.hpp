// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// New values for the elements of a range: transform, fill, generate, replace.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <ranges>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/calls/range_forms.hpp"
#include "weft/algorithms/fill.hpp"
#include "weft/algorithms/generate.hpp"
#include "weft/algorithms/replace.hpp"
#include "weft/algorithms/transform.hpp"

// Parameters are those of the standard's algorithms.
// NOLINTBEGIN(readability-function-size)

namespace weft {

namespace algorithms::detail {

struct range_transform {
  template <class Range, class Output>
  using unary_result = std::ranges::unary_transform_result<std::ranges::borrowed_iterator_t<Range>,
                                                           sink_result_t<Output>>;
  template <class A, class B, class Output>
  using binary_result = std::ranges::binary_transform_result<std::ranges::borrowed_iterator_t<A>,
                                                             std::ranges::borrowed_iterator_t<B>,
                                                             sink_result_t<Output>>;

  template <execution_policy Policy,
            range_for<Policy> Range,
            output_for<Policy> Output,
            std::copy_constructible F,
            class Proj = std::identity>
    requires std::indirectly_writable<
        sink_iterator<Output>,
        std::indirect_result_t<F&, std::projected<std::ranges::iterator_t<Range>, Proj>>>
  auto operator()(Policy&& policy, Range&& range, Output&& output, F f, Proj proj = {}) const
      -> algorithm_result_t<Policy, unary_result<Range, Output>> {
    return call_range<unary_result<Range, Output>>(
        policy,
        [in = bounds_of(range),
         out = sink_of(output),
         map = project(std::move(f), std::move(proj))](const auto& how) mutable {
          auto last = std::ranges::next(in.first, out.fitting(in.size()));
          auto end = weft::transform(how, in.first, last, out.first, std::move(map));
          return std::ranges::in_out_result{std::move(last), std::move(end)};
        });
  }

  template <execution_policy Policy,
            std::forward_iterator It,
            std::sentinel_for<It> Last,
            std::forward_iterator Output,
            std::sentinel_for<Output> OutputLast,
            std::copy_constructible F,
            class Proj = std::identity>
    requires std::indirectly_writable<Output, std::indirect_result_t<F&, std::projected<It, Proj>>>
  auto operator()(Policy&& policy,
                  It first,
                  Last last,
                  Output output,
                  OutputLast output_last,
                  F f,
                  Proj proj = {}) const
      -> algorithm_result_t<Policy, std::ranges::unary_transform_result<It, Output>> {
    return (*this)(policy,
                   subrange_of<It, Last>(first, last),
                   subrange_of<Output, OutputLast>(output, output_last),
                   std::move(f),
                   std::move(proj));
  }

  template <execution_policy Policy,
            range_for<Policy> A,
            range_for<Policy> B,
            output_for<Policy> Output,
            std::copy_constructible F,
            class ProjA = std::identity,
            class ProjB = std::identity>
    requires std::indirectly_writable<
        sink_iterator<Output>,
        std::indirect_result_t<F&,
                               std::projected<std::ranges::iterator_t<A>, ProjA>,
                               std::projected<std::ranges::iterator_t<B>, ProjB>>>
  auto operator()(Policy&& policy,
                  A&& a,
                  B&& b,
                  Output&& output,
                  F f,
                  ProjA proj_a = {},
                  ProjB proj_b = {}) const
      -> algorithm_result_t<Policy, binary_result<A, B, Output>> {
    return call_range<binary_result<A, B, Output>>(
        policy,
        [a = bounds_of(a),
         b = bounds_of(b),
         out = sink_of(output),
         map =
             project(std::move(f), std::move(proj_a), std::move(proj_b))](const auto& how) mutable {
          const std::ptrdiff_t n = out.fitting(std::min<std::ptrdiff_t>(a.size(), b.size()));
          auto last_a = std::ranges::next(a.first, n);
          auto last_b = std::ranges::next(b.first, n);
          auto end = weft::transform(how, a.first, last_a, b.first, out.first, std::move(map));
          return std::ranges::in_in_out_result{
              std::move(last_a), std::move(last_b), std::move(end)};
        });
  }

  template <execution_policy Policy,
            std::forward_iterator A,
            std::sentinel_for<A> LastA,
            std::forward_iterator B,
            std::sentinel_for<B> LastB,
            std::forward_iterator Output,
            std::sentinel_for<Output> OutputLast,
            std::copy_constructible F,
            class ProjA = std::identity,
            class ProjB = std::identity>
    requires std::indirectly_writable<
        Output,
        std::indirect_result_t<F&, std::projected<A, ProjA>, std::projected<B, ProjB>>>
  auto operator()(Policy&& policy,
                  A first_a,
                  LastA last_a,
                  B first_b,
                  LastB last_b,
                  Output output,
                  OutputLast output_last,
                  F f,
                  ProjA proj_a = {},
                  ProjB proj_b = {}) const
      -> algorithm_result_t<Policy, std::ranges::binary_transform_result<A, B, Output>> {
    return (*this)(policy,
                   subrange_of<A, LastA>(first_a, last_a),
                   subrange_of<B, LastB>(first_b, last_b),
                   subrange_of<Output, OutputLast>(output, output_last),
                   std::move(f),
                   std::move(proj_a),
                   std::move(proj_b));
  }
};

struct range_fill {
  template <execution_policy Policy,
            range_for<Policy> Range,
            class Value = std::ranges::range_value_t<Range>>
    requires std::indirectly_writable<std::ranges::iterator_t<Range>, const Value&>
  auto operator()(Policy&& policy, Range&& range, const Value& value) const
      -> algorithm_result_t<Policy, std::ranges::borrowed_iterator_t<Range>> {
    return call_range<std::ranges::borrowed_iterator_t<Range>>(
        policy, [in = bounds_of(range), kept = kept_value<Policy, Value>{value}](const auto& how) {
          weft::fill(how, in.first, in.last, kept.value);
          return in.last;
        });
  }
  template <execution_policy Policy,
            std::forward_iterator It,
            std::sentinel_for<It> Last,
            class Value = std::iter_value_t<It>>
    requires std::indirectly_writable<It, const Value&>
  auto operator()(Policy&& policy, It first, Last last, const Value& value) const
      -> algorithm_result_t<Policy, It> {
    return (*this)(policy, subrange_of<It, Last>(first, last), value);
  }
};

struct range_fill_n {
  template <execution_policy Policy, std::forward_iterator It, class Value = std::iter_value_t<It>>
    requires std::indirectly_writable<It, const Value&>
  auto operator()(Policy&& policy, It first, std::iter_difference_t<It> n, const Value& value) const
      -> algorithm_result_t<Policy, It> {
    return weft::fill_n(policy, std::move(first), n, value);
  }
};

struct range_generate {
  template <execution_policy Policy, range_for<Policy> Range, std::copy_constructible F>
    requires std::invocable<F&> &&
             std::indirectly_writable<std::ranges::iterator_t<Range>, std::invoke_result_t<F&>>
  auto operator()(Policy&& policy, Range&& range, F f) const
      -> algorithm_result_t<Policy, std::ranges::borrowed_iterator_t<Range>> {
    return call_range<std::ranges::borrowed_iterator_t<Range>>(
        policy, [in = bounds_of(range), f = std::move(f)](const auto& how) mutable {
          weft::generate(how, in.first, in.last, std::move(f));
          return in.last;
        });
  }
  template <execution_policy Policy,
            std::forward_iterator It,
            std::sentinel_for<It> Last,
            std::copy_constructible F>
    requires std::invocable<F&> && std::indirectly_writable<It, std::invoke_result_t<F&>>
  auto operator()(Policy&& policy, It first, Last last, F f) const
      -> algorithm_result_t<Policy, It> {
    return (*this)(policy, subrange_of<It, Last>(first, last), std::move(f));
  }
};

struct range_generate_n {
  template <execution_policy Policy, std::forward_iterator It, std::copy_constructible F>
    requires std::invocable<F&> && std::indirectly_writable<It, std::invoke_result_t<F&>>
  auto operator()(Policy&& policy, It first, std::iter_difference_t<It> n, F f) const
      -> algorithm_result_t<Policy, It> {
    return weft::generate_n(policy, std::move(first), n, std::move(f));
  }
};

struct range_replace_if {
  template <
      execution_policy Policy,
      range_for<Policy> Range,
      class Proj = std::identity,
      class Value = std::iter_value_t<std::projected<std::ranges::iterator_t<Range>, Proj>>,
      std::indirect_unary_predicate<std::projected<std::ranges::iterator_t<Range>, Proj>> Pred>
    requires std::indirectly_writable<std::ranges::iterator_t<Range>, const Value&>
  auto operator()(Policy&& policy, Range&& range, Pred pred, const Value& value, Proj proj = {})
      const -> algorithm_result_t<Policy, std::ranges::borrowed_iterator_t<Range>> {
    return call_range<std::ranges::borrowed_iterator_t<Range>>(
        policy,
        [in = bounds_of(range),
         asked = project(std::move(pred), std::move(proj)),
         kept = kept_value<Policy, Value>{value}](const auto& how) mutable {
          weft::replace_if(how, in.first, in.last, std::move(asked), kept.value);
          return in.last;
        });
  }
  template <execution_policy Policy,
            std::forward_iterator It,
            std::sentinel_for<It> Last,
            class Proj = std::identity,
            class Value = std::iter_value_t<std::projected<It, Proj>>,
            std::indirect_unary_predicate<std::projected<It, Proj>> Pred>
    requires std::indirectly_writable<It, const Value&>
  auto operator()(
      Policy&& policy, It first, Last last, Pred pred, const Value& value, Proj proj = {}) const
      -> algorithm_result_t<Policy, It> {
    return (*this)(
        policy, subrange_of<It, Last>(first, last), std::move(pred), value, std::move(proj));
  }
};

struct range_replace {
  template <execution_policy Policy,
            range_for<Policy> Range,
            class Proj = std::identity,
            class Old = std::iter_value_t<std::projected<std::ranges::iterator_t<Range>, Proj>>,
            class New = Old>
    requires std::indirectly_writable<std::ranges::iterator_t<Range>, const New&> &&
             std::indirect_binary_predicate<std::ranges::equal_to,
                                            std::projected<std::ranges::iterator_t<Range>, Proj>,
                                            const Old*>
  auto operator()(Policy&& policy,
                  Range&& range,
                  const Old& old_value,
                  const New& new_value,
                  Proj proj = {}) const
      -> algorithm_result_t<Policy, std::ranges::borrowed_iterator_t<Range>> {
    return call_range<std::ranges::borrowed_iterator_t<Range>>(
        policy,
        [in = bounds_of(range),
         from = kept_value<Policy, Old>{old_value},
         to = kept_value<Policy, New>{new_value},
         proj = std::move(proj)](const auto& how) mutable {
          if constexpr (std::is_same_v<Proj, std::identity> && std::is_same_v<Old, New>) {
            static_cast<void>(proj);
            weft::replace(how, in.first, in.last, from.value, to.value);
          } else {
            weft::replace_if(how,
                             in.first,
                             in.last,
                             equals_value<Old, Proj>{std::addressof(from.value), std::move(proj)},
                             to.value);
          }
          return in.last;
        });
  }
  template <execution_policy Policy,
            std::forward_iterator It,
            std::sentinel_for<It> Last,
            class Proj = std::identity,
            class Old = std::iter_value_t<std::projected<It, Proj>>,
            class New = Old>
    requires std::indirectly_writable<It, const New&> &&
             std::indirect_binary_predicate<std::ranges::equal_to,
                                            std::projected<It, Proj>,
                                            const Old*>
  auto operator()(Policy&& policy,
                  It first,
                  Last last,
                  const Old& old_value,
                  const New& new_value,
                  Proj proj = {}) const -> algorithm_result_t<Policy, It> {
    return (*this)(
        policy, subrange_of<It, Last>(first, last), old_value, new_value, std::move(proj));
  }
};

}  // namespace algorithms::detail

namespace ranges {

/// Writes `f(x)` for every element, or `f(x, y)` for those of two ranges, to an output:
/// `transform(policy, range, output, f, proj = {})`, `transform(policy, a, b, output, f, proj_a =
/// {}, proj_b = {})`; as many as all have room for.
/// Example: tests/algorithms/ranges_write_test.cpp: outputs_are_not_written_past_their_end.
inline constexpr algorithms::detail::range_transform transform;
/// Gives every element a value: `fill(policy, range, value)`.
inline constexpr algorithms::detail::range_fill fill;
/// Gives `n` elements a value: `fill_n(policy, first, n, value)`.
inline constexpr algorithms::detail::range_fill_n fill_n;
/// Gives every element what a call of `f` returns: `generate(policy, range, f)`.
inline constexpr algorithms::detail::range_generate generate;
/// Gives `n` elements what a call of `f` returns: `generate_n(policy, first, n, f)`.
inline constexpr algorithms::detail::range_generate_n generate_n;
/// Gives elements whose projections equal `old` a new value: `replace(policy, range, old, new, proj
/// = {})`.
inline constexpr algorithms::detail::range_replace replace;
/// Gives elements for which a predicate is true a value: `replace_if(policy, range, pred, value,
/// proj = {})`.
inline constexpr algorithms::detail::range_replace_if replace_if;

}  // namespace ranges
}  // namespace weft

// NOLINTEND(readability-function-size)
