// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From ranges to iterators and back: what all range forms of algorithms share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <ranges>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/calls/launch.hpp"
#include "weft/algorithms/detail/calls/projected.hpp"
#include "weft/algorithms/policy.hpp"

namespace weft::algorithms::detail {

/// A range of forward iterators or better, which still lives when a call with `Policy` ends: with
/// `as_future` and `as_sender` no temporary container.
template <class Range, class Policy>
concept range_for = std::ranges::forward_range<Range> &&
                    (!resolved_policy<Policy>::is_later || std::ranges::borrowed_range<Range>);

/// As `range_for`, of random access: what can be sorted and selected from.
template <class Range, class Policy>
concept random_access_range_for =
    range_for<Range, Policy> && std::ranges::random_access_range<Range>;

/// Where a range begins and ends, as iterators of one type.
template <class It>
struct bounds {
  It first;
  It last;

  [[nodiscard]] constexpr std::iter_difference_t<It> size() const {
    return std::ranges::distance(first, last);
  }
};

template <std::ranges::forward_range Range>
[[nodiscard]] constexpr auto bounds_of(Range&& range) {
  auto first = std::ranges::begin(range);
  auto last = std::ranges::next(first, std::ranges::end(range));
  return bounds<std::ranges::iterator_t<Range>>{std::move(first), std::move(last)};
}

/// The output of an algorithm: an iterator, and the number of elements that may be written there.
template <class It>
struct sink {
  static constexpr std::ptrdiff_t unlimited = std::numeric_limits<std::ptrdiff_t>::max();
  It first;
  std::ptrdiff_t room = unlimited;

  [[nodiscard]] constexpr std::ptrdiff_t fitting(std::ptrdiff_t n) const {
    return std::min(n, room);
  }
};

template <std::weakly_incrementable It, std::sentinel_for<It> Last>
[[nodiscard]] constexpr auto sink_of(It first, Last last) {
  if constexpr (std::same_as<Last, std::unreachable_sentinel_t>) {
    return sink<It>{std::move(first)};
  } else {
    const std::ptrdiff_t room = std::ranges::distance(first, last);
    return sink<It>{std::move(first), room};
  }
}

template <class Output>
[[nodiscard]] constexpr auto sink_of(Output&& output) {
  if constexpr (std::ranges::range<Output>) {
    return sink_of(std::ranges::begin(output), std::ranges::end(output));
  } else {
    return sink<std::remove_cvref_t<Output>>{std::forward<Output>(output)};
  }
}

/// The iterator that `Output`, a range or an iterator, is written through.
template <class Output>
using sink_iterator = decltype(sink_of(std::declval<Output&>()).first);

template <class Output>
struct sink_result {
  using type = std::remove_cvref_t<Output>;
};
template <std::ranges::range Output>
struct sink_result<Output> {
  using type = std::ranges::borrowed_iterator_t<Output>;
};
/// The part of an algorithm's result that describes its output.
template <class Output>
using sink_result_t = typename sink_result<Output>::type;

/// A range, which is not written past its end, or a forward iterator with enough room behind it.
/// Either still lives when a call with `Policy` ends.
template <class Output, class Policy>
concept output_for =
    range_for<Output, Policy> || std::forward_iterator<std::remove_cvref_t<Output>>;

/// Replaces `as_future` and `as_sender` in a policy.
struct at_once {
  using category = execution::completion_form;
};

template <class Policy>
[[nodiscard]] constexpr decltype(auto) synchronous(const Policy& policy) {
  if constexpr (resolved_policy<Policy>::is_later) {
    return policy.with(at_once());
  } else {
    return policy_traits<Policy>::resolve(policy);
  }
}

template <class Result>
struct range_call {
  static constexpr bool runs_an_algorithm = true;
  template <class Policy, class Body>
  static Result run(const Policy& policy, Body&& body) {
    if constexpr (std::is_void_v<Result>) {
      body(synchronous(policy));
    } else {
      return static_cast<Result>(body(synchronous(policy)));
    }
  }
};

/// `body(policy)`, now, as a task or as a sender, with a policy that asks for neither.
template <class Result, class Policy, class Body>
auto call_range(const Policy& policy, Body body) -> algorithm_result_t<Policy, Result> {
  if constexpr (resolved_policy<Policy>::is_later) {
    return launch<range_call<Result>>(policy, std::move(body));
  } else {
    return range_call<Result>::run(policy, body);
  }
}

}  // namespace weft::algorithms::detail
