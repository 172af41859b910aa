// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements made in memory that holds none yet, and destroyed.
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

#include "weft/algorithms/destroy.hpp"
#include "weft/algorithms/detail/calls/range_forms.hpp"
#include "weft/algorithms/uninitialized.hpp"

namespace weft {

namespace algorithms::detail {

struct gives_both_ends {
  template <class Range, class Output>
  using result =
      std::ranges::in_out_result<std::ranges::borrowed_iterator_t<Range>, sink_result_t<Output>>;
};
struct range_uninitialized_copy : gives_both_ends {
  template <class It, class Output>
  static constexpr bool allows =
      std::constructible_from<std::iter_value_t<Output>, std::iter_reference_t<It>>;
  template <class It, class Output>
  static auto run(const auto& how, bounds<It> in, sink<Output> out) {
    It last = std::ranges::next(in.first, out.fitting(in.size()));
    Output end = weft::uninitialized_copy(how, in.first, last, out.first);
    return std::ranges::in_out_result<It, Output>{std::move(last), std::move(end)};
  }
};
struct range_uninitialized_move : gives_both_ends {
  template <class It, class Output>
  static constexpr bool allows =
      std::constructible_from<std::iter_value_t<Output>, std::iter_rvalue_reference_t<It>>;
  template <class It, class Output>
  static auto run(const auto& how, bounds<It> in, sink<Output> out) {
    It last = std::ranges::next(in.first, out.fitting(in.size()));
    Output end = weft::uninitialized_move(how, in.first, last, out.first);
    return std::ranges::in_out_result<It, Output>{std::move(last), std::move(end)};
  }
};

/// The first `n` elements from an iterator on, to an output.
template <class Algorithm>
struct copy_n_form {
  template <execution_policy Policy,
            std::forward_iterator It,
            std::forward_iterator Output,
            std::sentinel_for<Output> OutputLast = std::unreachable_sentinel_t>
    requires allowed_by<Algorithm, It, Output>
  auto operator()(Policy&& policy,
                  It first,
                  std::iter_difference_t<It> n,
                  Output output,
                  OutputLast output_last = {}) const
      -> algorithm_result_t<Policy, std::ranges::in_out_result<It, Output>> {
    return call_range<std::ranges::in_out_result<It, Output>>(
        policy, [first, n, out = sink_of(output, output_last)](const auto& how) {
          return Algorithm::run(how, bounds<It>{first, std::ranges::next(first, n)}, out);
        });
  }
};

/// A range of elements, which `Algorithm::run(policy, bounds)` makes or destroys.
template <class Algorithm>
struct construct_form {
  template <execution_policy Policy, range_for<Policy> Range>
    requires allowed_by<Algorithm, std::ranges::range_value_t<Range>>
  auto operator()(Policy&& policy, Range&& range) const
      -> algorithm_result_t<Policy, std::ranges::borrowed_iterator_t<Range>> {
    return call_range<std::ranges::borrowed_iterator_t<Range>>(
        policy, [in = bounds_of(range)](const auto& how) {
          Algorithm::run(how, in);
          return in.last;
        });
  }
  template <execution_policy Policy, std::forward_iterator It, std::sentinel_for<It> Last>
    requires allowed_by<Algorithm, std::iter_value_t<It>>
  auto operator()(Policy&& policy, It first, Last last) const -> algorithm_result_t<Policy, It> {
    return (*this)(policy, subrange_of<It, Last>(first, last));
  }
};
template <class Algorithm>
struct construct_n_form {
  template <execution_policy Policy, std::forward_iterator It>
    requires allowed_by<Algorithm, std::iter_value_t<It>>
  auto operator()(Policy&& policy, It first, std::iter_difference_t<It> n) const
      -> algorithm_result_t<Policy, It> {
    return call_range<It>(policy, [first, n](const auto& how) {
      It last = std::ranges::next(first, n);
      Algorithm::run(how, bounds<It>{first, last});
      return last;
    });
  }
};

struct range_default_construct {
  template <class Value>
  static constexpr bool allows = std::default_initializable<Value>;
  static void run(const auto& how, auto in) {
    weft::uninitialized_default_construct(how, in.first, in.last);
  }
};
struct range_value_construct {
  template <class Value>
  static constexpr bool allows = std::default_initializable<Value>;
  static void run(const auto& how, auto in) {
    weft::uninitialized_value_construct(how, in.first, in.last);
  }
};
struct range_destroy {
  template <class Value>
  static constexpr bool allows = std::destructible<Value>;
  static void run(const auto& how, auto in) { weft::destroy(how, in.first, in.last); }
};

struct range_uninitialized_fill {
  template <execution_policy Policy,
            range_for<Policy> Range,
            class Value = std::ranges::range_value_t<Range>>
    requires std::constructible_from<std::ranges::range_value_t<Range>, const Value&>
  auto operator()(Policy&& policy, Range&& range, const Value& value) const
      -> algorithm_result_t<Policy, std::ranges::borrowed_iterator_t<Range>> {
    return call_range<std::ranges::borrowed_iterator_t<Range>>(
        policy, [in = bounds_of(range), kept = kept_value<Policy, Value>{value}](const auto& how) {
          weft::uninitialized_fill(how, in.first, in.last, kept.value);
          return in.last;
        });
  }
  template <execution_policy Policy,
            std::forward_iterator It,
            std::sentinel_for<It> Last,
            class Value = std::iter_value_t<It>>
    requires std::constructible_from<std::iter_value_t<It>, const Value&>
  auto operator()(Policy&& policy, It first, Last last, const Value& value) const
      -> algorithm_result_t<Policy, It> {
    return (*this)(policy, subrange_of<It, Last>(first, last), value);
  }
};
struct range_uninitialized_fill_n {
  template <execution_policy Policy, std::forward_iterator It, class Value = std::iter_value_t<It>>
    requires std::constructible_from<std::iter_value_t<It>, const Value&>
  auto operator()(Policy&& policy, It first, std::iter_difference_t<It> n, const Value& value) const
      -> algorithm_result_t<Policy, It> {
    return weft::uninitialized_fill_n(policy, std::move(first), n, value);
  }
};

}  // namespace algorithms::detail

namespace ranges {

/// Makes copies of a range's elements in memory that holds none, as many as there is room for. All
/// of this header: an exception destroys what was made.
inline constexpr algorithms::detail::copy_form<algorithms::detail::range_uninitialized_copy>
    uninitialized_copy;
/// Makes copies of `n` elements: `uninitialized_copy_n(policy, first, n, output, output_last)`.
inline constexpr algorithms::detail::copy_n_form<algorithms::detail::range_uninitialized_copy>
    uninitialized_copy_n;
/// Makes elements from those of a range, which are moved from.
inline constexpr algorithms::detail::copy_form<algorithms::detail::range_uninitialized_move>
    uninitialized_move;
/// Makes elements from `n` others, which are moved from.
inline constexpr algorithms::detail::copy_n_form<algorithms::detail::range_uninitialized_move>
    uninitialized_move_n;
/// Makes copies of a value: `uninitialized_fill(policy, range, value)`.
inline constexpr algorithms::detail::range_uninitialized_fill uninitialized_fill;
/// Makes `n` copies of a value: `uninitialized_fill_n(policy, first, n, value)`.
inline constexpr algorithms::detail::range_uninitialized_fill_n uninitialized_fill_n;
/// Makes elements as `T x;` does.
inline constexpr algorithms::detail::construct_form<algorithms::detail::range_default_construct>
    uninitialized_default_construct;
/// Makes `n` elements as `T x;` does.
inline constexpr algorithms::detail::construct_n_form<algorithms::detail::range_default_construct>
    uninitialized_default_construct_n;
/// Makes elements as `T x{};` does.
inline constexpr algorithms::detail::construct_form<algorithms::detail::range_value_construct>
    uninitialized_value_construct;
/// Makes `n` elements as `T x{};` does.
inline constexpr algorithms::detail::construct_n_form<algorithms::detail::range_value_construct>
    uninitialized_value_construct_n;
/// Destroys the elements of a range.
inline constexpr algorithms::detail::construct_form<algorithms::detail::range_destroy> destroy;
/// Destroys `n` elements.
inline constexpr algorithms::detail::construct_n_form<algorithms::detail::range_destroy> destroy_n;

}  // namespace ranges
}  // namespace weft
