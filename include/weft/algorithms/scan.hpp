// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of all prefixes of a range.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/loops/walk.hpp"
#include "weft/algorithms/detail/scanning/compaction.hpp"
#include "weft/algorithms/detail/scanning/scan_tiles.hpp"
#include "weft/algorithms/detail/scanning/walked_scan.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"

// NOLINTBEGIN(readability-function-size): the standard's parameters
namespace weft {

namespace algorithms::detail {

template <scan_kind kind, class T, class It, class Out, class Op, class Map>
Out scan_in_sequence(It first, It last, Out out, T sum, Op& op, Map& map) {
  for (; first != last; ++first, static_cast<void>(++out)) {
    if constexpr (kind == scan_kind::inclusive) {
      sum = op(std::move(sum), map(*first));
      *out = sum;
    } else {
      T next = op(sum, map(*first));  // before the output, which may be the input
      *out = std::move(sum);
      sum = std::move(next);
    }
  }
  return out;
}

/// Numbers that are scanned before the fastest kernel for more is found.
inline constexpr std::size_t few_to_scan = 64;

/// A scan with an initial value.
template <scan_kind kind>
struct scan_from_call {
  template <class How, class It, class Out, class T, class Op, class Map>
  [[gnu::always_inline]] static Out run(
      const How& how, It first, It last, Out out, T&& init, Op&& op, Map&& map) {
    using value = std::remove_cvref_t<T>;
    if constexpr (How::is_parallel && indexed_iterator<It> && separate_outputs<Out> &&
                  std::copy_constructible<value>) {
      static constinit cost_record costs;
      const auto n = static_cast<std::size_t>(last - first);
      if constexpr (std::is_arithmetic_v<value>) {
        if (may_be_short<How> && n <= few_to_scan) {
          return scan_in_sequence<kind, value>(first, last, out, init, op, map);
        }
      }
      using work_type = scan_work<kind,
                                  !How::is_deterministic,
                                  value,
                                  It,
                                  Out,
                                  std::remove_reference_t<Op>,
                                  std::remove_reference_t<Map>>;
      work_type work{first, out, op, map};
      scan_behind(how, work, 0, n, costs, std::forward<T>(init));
      return advanced(out, n);
    } else if constexpr (is_walked<How, It, Out> &&
                         std::is_lvalue_reference_v<std::iter_reference_t<Out>> &&
                         !How::is_deterministic && std::copy_constructible<value>) {
      return scan_walk<kind>(how, walk(first, last, out), std::forward<T>(init), op, map)
          .at()
          .template get<1>();
    } else {
      return scan_in_sequence<kind, value>(first, last, out, std::forward<T>(init), op, map);
    }
  }
};

/// An inclusive scan that starts with the first element.
struct scan_call {
  template <class How, class It, class Out, class Op, class Map>
  [[gnu::always_inline]] static Out run(
      const How& how, It first, It last, Out out, Op&& op, Map&& map) {
    if (first == last) {
      return out;
    }
    // elements that are mapped have sums of the type that the map returns
    using value = std::conditional_t<std::same_as<std::remove_cvref_t<Map>, as_it_is>,
                                     std::iter_value_t<It>,
                                     std::remove_cvref_t<decltype(map(*first))>>;
    value sum = map(*first);
    *out = sum;
    ++first;
    ++out;
    return scan_from_call<scan_kind::inclusive>::run(
        how, first, last, out, std::move(sum), op, map);
  }
};

/// Operations that can sum values of type T with themselves and with U.
template <class Op, class T, class U>
concept sums = std::move_constructible<T> && requires(Op& op, T (*value)(), U (*other)()) {
  { op(value(), value()) } -> std::convertible_to<T>;
  { op(value(), other()) } -> std::convertible_to<T>;
};

/// The result of a map for an element.
template <class It, class Map>
using mapped = decltype(std::declval<Map&>()(*std::declval<It&>()));
template <class It, class Map>
using mapped_value = std::remove_cvref_t<mapped<It, Map>>;

}  // namespace algorithms::detail

/// Writes `x[0] op ... op x[i]` for every element x[i] of [first, last) to `out`; returns its end.
///
/// `op` is associative; it need not be commutative, nor elements default-constructible. Tiles tell
/// those behind their sum before they know what stands in front of them, in one pass over memory.
/// Shape:   `out` may be `first`, but not overlap otherwise.
/// Cost:    n to 2n applications of `op`; reads and writes n elements once. At least 64 bytes per
///          tile if other workers help. A tile has 128 KiB, or 256 KiB if sums of numbers beyond
///          the caches read the next tile while they write one. Without that memory no worker
///          helps. With `deterministic`, sums of n > 4096 are the same bits for any number of
///          workers.
/// Threads: with a parallel policy `op` is called from several at once. Forward iterators share the
///          work if that pays, but not if `deterministic`. The calling thread computes sums that
///          cannot be copied alone.
/// Errors:  the first exception of `op` or an assignment; `out` then is unspecified.
/// Source:  Merrill, Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016.
/// Example: tests/algorithms/scan_test.cpp: inclusive_is_what_the_standard_does.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          std::forward_iterator Out,
          class Op = std::plus<>>
  requires algorithms::detail::sums<Op, std::iter_value_t<It>, std::iter_reference_t<It>>
[[gnu::always_inline]] inline algorithm_result_t<Policy, Out> inclusive_scan(
    Policy&& policy, It first, It last, Out out, Op op = {}) {
  namespace detail = algorithms::detail;
  return detail::launch<detail::scan_call>(
      policy, first, last, out, std::move(op), detail::as_it_is{});
}

/// As above, with `init op` in front of every sum.
///
/// Example: tests/algorithms/scan_test.cpp: inclusive_is_what_the_standard_does.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          std::forward_iterator Out,
          class Op,
          class T>
  requires algorithms::detail::sums<Op, T, std::iter_reference_t<It>>
[[gnu::always_inline]] inline algorithm_result_t<Policy, Out> inclusive_scan(
    Policy&& policy, It first, It last, Out out, Op op, T init) {
  namespace detail = algorithms::detail;
  return detail::launch<detail::scan_from_call<detail::scan_kind::inclusive>>(
      policy, first, last, out, std::move(init), std::move(op), detail::as_it_is{});
}

/// Writes `init op x[0] op ... op x[i - 1]`, thus `init` first, for every element x[i]; else as
/// `inclusive_scan`.
///
/// Example: tests/algorithms/scan_test.cpp: exclusive_is_what_the_standard_does.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          std::forward_iterator Out,
          class T,
          class Op = std::plus<>>
  requires algorithms::detail::sums<Op, T, std::iter_reference_t<It>>
[[gnu::always_inline]] inline algorithm_result_t<Policy, Out> exclusive_scan(
    Policy&& policy, It first, It last, Out out, T init, Op op = {}) {
  namespace detail = algorithms::detail;
  return detail::launch<detail::scan_from_call<detail::scan_kind::exclusive>>(
      policy, first, last, out, std::move(init), std::move(op), detail::as_it_is{});
}

/// As `inclusive_scan` of `map(x[i])`.
///
/// Cost:    `map` is applied n to 2n times.
/// Example: tests/algorithms/scan_test.cpp: mapped_scans_are_what_the_standard_does.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          std::forward_iterator Out,
          class Op,
          algorithms::detail::callable_on<It> Map>
  requires algorithms::detail::
      sums<Op, algorithms::detail::mapped_value<It, Map>, algorithms::detail::mapped_value<It, Map>>
    [[gnu::always_inline]] inline algorithm_result_t<Policy, Out> transform_inclusive_scan(
        Policy&& policy, It first, It last, Out out, Op op, Map map) {
  namespace detail = algorithms::detail;
  return detail::launch<detail::scan_call>(policy, first, last, out, std::move(op), std::move(map));
}

/// As above, with `init op` in front of every sum.
///
/// Example: tests/algorithms/scan_test.cpp: mapped_scans_are_what_the_standard_does.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          std::forward_iterator Out,
          class Op,
          algorithms::detail::callable_on<It> Map,
          class T>
  requires algorithms::detail::sums<Op, T, algorithms::detail::mapped<It, Map>>
[[gnu::always_inline]] inline algorithm_result_t<Policy, Out> transform_inclusive_scan(
    Policy&& policy, It first, It last, Out out, Op op, Map map, T init) {
  namespace detail = algorithms::detail;
  return detail::launch<detail::scan_from_call<detail::scan_kind::inclusive>>(
      policy, first, last, out, std::move(init), std::move(op), std::move(map));
}

/// As `exclusive_scan` of `map(x[i])`.
///
/// Cost:    `map` is applied n to 2n times.
/// Example: tests/algorithms/scan_test.cpp: mapped_scans_are_what_the_standard_does.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          std::forward_iterator Out,
          class T,
          class Op,
          algorithms::detail::callable_on<It> Map>
  requires algorithms::detail::sums<Op, T, algorithms::detail::mapped<It, Map>>
[[gnu::always_inline]] inline algorithm_result_t<Policy, Out> transform_exclusive_scan(
    Policy&& policy, It first, It last, Out out, T init, Op op, Map map) {
  namespace detail = algorithms::detail;
  return detail::launch<detail::scan_from_call<detail::scan_kind::exclusive>>(
      policy, first, last, out, std::move(init), std::move(op), std::move(map));
}

}  // namespace weft
// NOLINTEND(readability-function-size)
