// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums and prefix sums of ranges, and differences of neighbours.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

#include "weft/algorithms/adjacent_difference.hpp"
#include "weft/algorithms/detail/calls/range_forms.hpp"
#include "weft/algorithms/fold_left.hpp"
#include "weft/algorithms/reduce.hpp"
#include "weft/algorithms/scan.hpp"
#include "weft/algorithms/transform_reduce.hpp"

// Parameters are those of the standard's algorithms.
// NOLINTBEGIN(readability-function-size)

namespace weft {

namespace algorithms::detail {

template <class Op, class Value>
concept binary_op = std::invocable<Op&, Value, Value> &&
                    std::convertible_to<std::invoke_result_t<Op&, Value, Value>, Value>;

template <class Range, class Proj>
using projected_value = std::iter_value_t<std::projected<std::ranges::iterator_t<Range>, Proj>>;

struct range_reduce {
  template <execution_policy Policy,
            range_for<Policy> Range,
            class Proj = std::identity,
            class Value = projected_value<Range, Proj>,
            binary_op<Value> Op = std::plus<>>
  auto operator()(Policy&& policy, Range&& range, Value init = Value(), Op op = {}, Proj proj = {})
      const -> algorithm_result_t<Policy, Value> {
    return call_range<Value>(policy,
                             [in = bounds_of(range),
                              init = std::move(init),
                              op = plain_call(std::move(op)),
                              proj = std::move(proj)](const auto& how) mutable {
                               if constexpr (std::is_same_v<Proj, std::identity>) {
                                 static_cast<void>(proj);
                                 return weft::reduce(
                                     how, in.first, in.last, std::move(init), std::move(op));
                               } else {
                                 return weft::transform_reduce(how,
                                                               in.first,
                                                               in.last,
                                                               std::move(init),
                                                               std::move(op),
                                                               plain_call(std::move(proj)));
                               }
                             });
  }
};

struct range_reduce_deterministic {
  template <execution_policy Policy,
            range_for<Policy> Range,
            class Proj = std::identity,
            class Value = projected_value<Range, Proj>,
            binary_op<Value> Op = std::plus<>>
  auto operator()(Policy&& policy, Range&& range, Value init = Value(), Op op = {}, Proj proj = {})
      const -> algorithm_result_t<Policy, Value> {
    return range_reduce()(
        as_deterministic(policy), range, std::move(init), std::move(op), std::move(proj));
  }
};

struct range_fold_left {
  template <execution_policy Policy, range_for<Policy> Range, class Value, class Op>
    requires std::convertible_to<
        std::invoke_result_t<Op&, Value, std::ranges::range_reference_t<Range>>,
        Value>
  auto operator()(Policy&& policy, Range&& range, Value init, Op op) const
      -> algorithm_result_t<Policy, Value> {
    return call_range<Value>(
        policy,
        [in = bounds_of(range), init = std::move(init), op = plain_call(std::move(op))](
            const auto& how) mutable {
          return weft::fold_left(how, in.first, in.last, std::move(init), std::move(op));
        });
  }
  template <execution_policy Policy,
            std::forward_iterator It,
            std::sentinel_for<It> Last,
            class Value,
            class Op>
  auto operator()(Policy&& policy, It first, Last last, Value init, Op op) const
      -> algorithm_result_t<Policy, Value> {
    return (*this)(policy, subrange_of<It, Last>(first, last), std::move(init), std::move(op));
  }
};

struct range_transform_reduce {
  template <execution_policy Policy,
            range_for<Policy> Range,
            class Value,
            binary_op<Value> Op,
            std::indirectly_unary_invocable<std::ranges::iterator_t<Range>> F>
    requires(!std::ranges::range<Value>)
  auto operator()(Policy&& policy, Range&& range, Value init, Op op, F f) const
      -> algorithm_result_t<Policy, Value> {
    return call_range<Value>(
        policy,
        [in = bounds_of(range),
         init = std::move(init),
         op = plain_call(std::move(op)),
         f = plain_call(f)](const auto& how) mutable {
          return weft::transform_reduce(
              how, in.first, in.last, std::move(init), std::move(op), std::move(f));
        });
  }

  /// As far as both ranges reach.
  template <execution_policy Policy,
            range_for<Policy> A,
            range_for<Policy> B,
            class Value,
            binary_op<Value> Op = std::plus<>,
            class F = std::multiplies<>>
    requires std::
        invocable<F&, std::ranges::range_reference_t<A>, std::ranges::range_reference_t<B>>
      auto operator()(Policy&& policy, A&& a, B&& b, Value init, Op op = {}, F f = {}) const
      -> algorithm_result_t<Policy, Value> {
    return call_range<Value>(
        policy,
        [a = bounds_of(a),
         b = bounds_of(b),
         init = std::move(init),
         op = plain_call(std::move(op)),
         f = plain_call(std::move(f))](const auto& how) mutable {
          auto last = std::ranges::next(a.first, std::min<std::ptrdiff_t>(a.size(), b.size()));
          return weft::transform_reduce(
              how, a.first, last, b.first, std::move(init), std::move(op), std::move(f));
        });
  }
};

template <class Range, class Output>
using scan_result_of =
    std::ranges::in_out_result<std::ranges::borrowed_iterator_t<Range>, sink_result_t<Output>>;

/// `scan(first, last, out)` of as many elements as the output has room for.
template <class Range, class Output, class Policy, class Scan>
auto scan_range(const Policy& policy, Range& range, Output& output, Scan scan)
    -> algorithm_result_t<Policy, scan_result_of<Range, Output>> {
  return call_range<scan_result_of<Range, Output>>(
      policy,
      [in = bounds_of(range), out = sink_of(output), scan = std::move(scan)](
          const auto& how) mutable {
        auto last = std::ranges::next(in.first, out.fitting(in.size()));
        auto end = scan(how, in.first, last, out.first);
        return std::ranges::in_out_result{std::move(last), std::move(end)};
      });
}

struct range_inclusive_scan {
  template <execution_policy Policy,
            range_for<Policy> Range,
            output_for<Policy> Output,
            binary_op<std::ranges::range_value_t<Range>> Op = std::plus<>>
  auto operator()(Policy&& policy, Range&& range, Output&& output, Op op = {}) const
      -> algorithm_result_t<Policy, scan_result_of<Range, Output>> {
    return scan_range<Range, Output>(
        policy,
        range,
        output,
        [op = plain_call(std::move(op))](const auto& how, auto first, auto last, auto out) mutable {
          return weft::inclusive_scan(how, first, last, out, std::move(op));
        });
  }
  template <execution_policy Policy,
            range_for<Policy> Range,
            output_for<Policy> Output,
            class Op,
            class Value>
    requires binary_op<Op, Value>
  auto operator()(Policy&& policy, Range&& range, Output&& output, Op op, Value init) const
      -> algorithm_result_t<Policy, scan_result_of<Range, Output>> {
    return scan_range<Range, Output>(policy,
                                     range,
                                     output,
                                     [op = plain_call(std::move(op)), init = std::move(init)](
                                         const auto& how, auto first, auto last, auto out) mutable {
                                       return weft::inclusive_scan(
                                           how, first, last, out, std::move(op), std::move(init));
                                     });
  }
};

struct range_exclusive_scan {
  template <execution_policy Policy,
            range_for<Policy> Range,
            output_for<Policy> Output,
            class Value,
            binary_op<Value> Op = std::plus<>>
  auto operator()(Policy&& policy, Range&& range, Output&& output, Value init, Op op = {}) const
      -> algorithm_result_t<Policy, scan_result_of<Range, Output>> {
    return scan_range<Range, Output>(policy,
                                     range,
                                     output,
                                     [op = plain_call(std::move(op)), init = std::move(init)](
                                         const auto& how, auto first, auto last, auto out) mutable {
                                       return weft::exclusive_scan(
                                           how, first, last, out, std::move(init), std::move(op));
                                     });
  }
};

struct range_transform_inclusive_scan {
  template <execution_policy Policy,
            range_for<Policy> Range,
            output_for<Policy> Output,
            class Op,
            std::indirectly_unary_invocable<std::ranges::iterator_t<Range>> F>
  auto operator()(Policy&& policy, Range&& range, Output&& output, Op op, F f) const
      -> algorithm_result_t<Policy, scan_result_of<Range, Output>> {
    return scan_range<Range, Output>(policy,
                                     range,
                                     output,
                                     [op = plain_call(std::move(op)), f = plain_call(f)](
                                         const auto& how, auto first, auto last, auto out) mutable {
                                       return weft::transform_inclusive_scan(
                                           how, first, last, out, std::move(op), std::move(f));
                                     });
  }
  template <execution_policy Policy,
            range_for<Policy> Range,
            output_for<Policy> Output,
            class Op,
            std::indirectly_unary_invocable<std::ranges::iterator_t<Range>> F,
            class Value>
    requires binary_op<Op, Value>
  auto operator()(Policy&& policy, Range&& range, Output&& output, Op op, F f, Value init) const
      -> algorithm_result_t<Policy, scan_result_of<Range, Output>> {
    return scan_range<Range, Output>(
        policy,
        range,
        output,
        [op = plain_call(std::move(op)), f = plain_call(f), init = std::move(init)](
            const auto& how, auto first, auto last, auto out) mutable {
          return weft::transform_inclusive_scan(
              how, first, last, out, std::move(op), std::move(f), std::move(init));
        });
  }
};

struct range_transform_exclusive_scan {
  template <execution_policy Policy,
            range_for<Policy> Range,
            output_for<Policy> Output,
            class Value,
            binary_op<Value> Op,
            std::indirectly_unary_invocable<std::ranges::iterator_t<Range>> F>
  auto operator()(Policy&& policy, Range&& range, Output&& output, Value init, Op op, F f) const
      -> algorithm_result_t<Policy, scan_result_of<Range, Output>> {
    return scan_range<Range, Output>(
        policy,
        range,
        output,
        [op = plain_call(std::move(op)), f = plain_call(f), init = std::move(init)](
            const auto& how, auto first, auto last, auto out) mutable {
          return weft::transform_exclusive_scan(
              how, first, last, out, std::move(init), std::move(op), std::move(f));
        });
  }
};

struct range_adjacent_difference {
  template <execution_policy Policy,
            range_for<Policy> Range,
            output_for<Policy> Output,
            class Op = std::minus<>>
    requires std::
        invocable<Op&, std::ranges::range_reference_t<Range>, std::ranges::range_reference_t<Range>>
      auto operator()(Policy&& policy, Range&& range, Output&& output, Op op = {}) const
      -> algorithm_result_t<Policy, scan_result_of<Range, Output>> {
    return scan_range<Range, Output>(
        policy,
        range,
        output,
        [op = plain_call(std::move(op))](const auto& how, auto first, auto last, auto out) mutable {
          return weft::adjacent_difference(how, first, last, out, std::move(op));
        });
  }
};

}  // namespace algorithms::detail

namespace ranges {

/// `init op x0 op x1 ...`, in any order: `reduce(policy, range, init = {}, op = plus, proj = {})`.
/// Example: tests/algorithms/ranges_sort_test.cpp: sums_a_member.
inline constexpr algorithms::detail::range_reduce reduce;
/// As `reduce`, with a result that is bitwise the same for any number of workers.
inline constexpr algorithms::detail::range_reduce_deterministic reduce_deterministic;
/// `op(... op(op(init, x0), x1) ..., xn)`, exactly as a loop gives it: `fold_left(policy, range,
/// init, op)`. Others help only where `weft::is_associative<Op, Value>`.
inline constexpr algorithms::detail::range_fold_left fold_left;
/// `init op f(x0) op f(x1) ...`: `transform_reduce(policy, range, init, op, f)`; of two ranges,
/// with `f(x, y)`: `transform_reduce(policy, a, b, init, op = plus, f = multiplies)`.
inline constexpr algorithms::detail::range_transform_reduce transform_reduce;
/// Every prefix with its last element: `inclusive_scan(policy, range, output, op = plus, [init])`.
/// All scans: as many as the output, a range or an iterator, has room for; returns where both
/// ended.
inline constexpr algorithms::detail::range_inclusive_scan inclusive_scan;
/// Every prefix without its last element: `exclusive_scan(policy, range, output, init, op = plus)`.
inline constexpr algorithms::detail::range_exclusive_scan exclusive_scan;
/// `transform_inclusive_scan(policy, range, output, op, f, [init])`.
inline constexpr algorithms::detail::range_transform_inclusive_scan transform_inclusive_scan;
/// `transform_exclusive_scan(policy, range, output, init, op, f)`.
inline constexpr algorithms::detail::range_transform_exclusive_scan transform_exclusive_scan;
/// `op(x, what is before it)`, first the first element: `adjacent_difference(policy, range, output,
/// op = minus)`.
inline constexpr algorithms::detail::range_adjacent_difference adjacent_difference;

}  // namespace ranges
}  // namespace weft

// NOLINTEND(readability-function-size)
