// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Removes elements from a range, or from the copy of one.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/scanning/compaction_works.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"

namespace weft {

namespace algorithms::detail {

struct remove_if_call {
  template <class How, class It, class Predicate>
  [[gnu::always_inline]] static It run(const How& how, It first, It last, Predicate&& predicate) {
    if constexpr (How::is_parallel && movable_aside<It>) {
      return keep_where(how, first, last, [&predicate](const It& it) -> bool {
        return !static_cast<bool>(predicate(*it));
      });
    } else {
      return std::remove_if(first, last, std::ref(predicate));
    }
  }
};

struct remove_call {
  template <class How, class It, class Value>
  [[gnu::always_inline]] static It run(const How& how, It first, It last, const Value& value) {
    if constexpr (How::is_parallel && movable_aside<It>) {
      return keep_where(
          how, first, last, [&value](const It& it) -> bool { return !(*it == value); });
    } else {
      return std::remove(first, last, value);
    }
  }
};

struct remove_copy_if_call {
  template <class How, class It, class Out, class Predicate>
  [[gnu::always_inline]] static Out run(
      const How& how, It first, It last, Out out, Predicate&& predicate) {
    if constexpr (How::is_parallel && indexed_iterator<It> && separate_outputs<Out>) {
      return copy_where(how, first, last, out, [&predicate](const It& it) -> bool {
        return !static_cast<bool>(predicate(*it));
      });
    } else {
      return std::remove_copy_if(first, last, out, std::ref(predicate));
    }
  }
};

struct remove_copy_call {
  template <class How, class It, class Out, class Value>
  [[gnu::always_inline]] static Out run(
      const How& how, It first, It last, Out out, const Value& value) {
    if constexpr (How::is_parallel && indexed_iterator<It> && separate_outputs<Out>) {
      return copy_where(
          how, first, last, out, [&value](const It& it) -> bool { return !(*it == value); });
    } else {
      return std::remove_copy(first, last, out, value);
    }
  }
};

}  // namespace algorithms::detail

/// Moves the elements of [first, last) that `predicate` does not accept to the front.
///
/// They keep their order. Returns their end; elements behind it have unspecified values.
///
/// Tiles set what they keep aside, learn from the tiles in front where that goes, and put it there,
/// in one pass. The caller works alone where iterators are not random-access, or moving may throw.
/// Cost:    exactly n applications of `predicate`, at most two moves of each element kept; reads n
///          elements and writes those kept, once. 64 KiB for each worker that helps, and 64 bytes
///          for each tile of as much; without that memory others help less, or not.
/// Threads: with a parallel policy `predicate` is called from several at once.
/// Errors:  the first exception of `predicate`; the elements then are valid, their values are not
///          specified.
/// Example: tests/algorithms/compaction_test.cpp: remove_if_is_what_the_standard_does.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          algorithms::detail::predicate_on<It> Predicate>
  requires algorithms::detail::moves_within<It>
[[gnu::always_inline]] inline algorithm_result_t<Policy, It> remove_if(Policy&& policy,
                                                                       It first,
                                                                       It last,
                                                                       Predicate predicate) {
  return algorithms::detail::launch<algorithms::detail::remove_if_call>(
      policy, first, last, std::move(predicate));
}

/// As `remove_if` for the elements that equal `value`, which must not be one of them.
///
/// Example: tests/algorithms/compaction_test.cpp: remove_is_what_the_standard_does.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          algorithms::detail::value_for<It> Value = std::iter_value_t<It>>
  requires algorithms::detail::moves_within<It>
[[gnu::always_inline]] inline algorithm_result_t<Policy, It> remove(Policy&& policy,
                                                                    It first,
                                                                    It last,
                                                                    const Value& value) {
  return algorithms::detail::launch<algorithms::detail::remove_call>(policy, first, last, value);
}

/// As `copy_if` for the elements that `predicate` does not accept.
///
/// Example: tests/algorithms/compaction_test.cpp: remove_copy_is_what_the_standard_does.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          std::forward_iterator Out,
          algorithms::detail::predicate_on<It> Predicate>
[[gnu::always_inline]] inline algorithm_result_t<Policy, Out> remove_copy_if(
    Policy&& policy, It first, It last, Out out, Predicate predicate) {
  return algorithms::detail::launch<algorithms::detail::remove_copy_if_call>(
      policy, first, last, out, std::move(predicate));
}

/// As `copy_if` for the elements that do not equal `value`.
///
/// Example: tests/algorithms/compaction_test.cpp: remove_copy_is_what_the_standard_does.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          std::forward_iterator Out,
          algorithms::detail::value_for<It> Value = std::iter_value_t<It>>
[[gnu::always_inline]] inline algorithm_result_t<Policy, Out> remove_copy(
    Policy&& policy, It first, It last, Out out, const Value& value) {
  return algorithms::detail::launch<algorithms::detail::remove_copy_call>(
      policy, first, last, out, value);
}

}  // namespace weft
