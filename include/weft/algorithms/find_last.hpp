// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last element that equals a value, passes a predicate, or fails it.
#pragma once

#include <cstddef>
#include <iterator>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/kernels/number_kernels.hpp"
#include "weft/algorithms/detail/loops/equal_value.hpp"
#include "weft/algorithms/detail/loops/search_in.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"

namespace weft {

namespace algorithms::detail {

struct find_last_if_call {
  template <class How, class It, class Predicate>
  [[gnu::always_inline]] static It run(const How& how, It first, It last, Predicate&& passes) {
    if constexpr (is_shared<How, It>) {
      const std::size_t n = size_between(first, last);
      const std::size_t back =
          search_in(how, n, bytes_of<It>, [first, n, &passes](std::size_t begin, std::size_t end) {
            while (begin != end && !static_cast<bool>(passes(element_at(first, n - 1 - begin)))) {
              ++begin;
            }
            return begin;
          });
      return back == n ? last : iterator_at(first, n - 1 - back);
    } else {
      It found = last;
      for (; first != last; ++first) {
        if (static_cast<bool>(passes(*first))) {
          found = first;
        }
      }
      return found;
    }
  }
};

struct find_last_if_not_call {
  template <class How, class It, class Predicate>
  [[gnu::always_inline]] static It run(const How& how, It first, It last, Predicate&& passes) {
    return find_last_if_call::run(how, first, last, negated<Predicate>{passes});
  }
};

/// The last of [begin, end) that equals `value`, places counted from the back of n; or `end`.
template <class It, class T>
[[nodiscard]] std::size_t last_equal(
    It first, std::size_t n, std::size_t begin, std::size_t end, const T& value) {
  using element = std::iter_value_t<It>;
  if (end - begin >= kernels::least_elements) {
    const auto same = kernel_value<element>(value);
    const auto* const data = kernels::data_of<kernels::equality_number<element>>(first);
    return same ? end - kernels::behind_last_equal(data + (n - end), end - begin, *same) : end;
  }
  while (begin != end && !static_cast<bool>(element_at(first, n - 1 - begin) == value)) {
    ++begin;
  }
  return begin;
}

struct find_last_call {
  template <class How, class It, class T>
  [[gnu::always_inline]] static It run(const How& how, It first, It last, const T& value) {
    if constexpr (is_shared<How, It> && is_kernel_value<It, T>) {
      const std::size_t n = size_between(first, last);
      const std::size_t back =
          search_in(how, n, bytes_of<It>, [first, n, &value](std::size_t begin, std::size_t end) {
            return last_equal(first, n, begin, end, value);
          });
      return back == n ? last : iterator_at(first, n - 1 - back);
    } else {
      return find_last_if_call::run(
          how, first, last, [&value](auto&& element) -> bool { return element == value; });
    }
  }
};

}  // namespace algorithms::detail

/// Finds the last element of [first, last) that equals `value`; `last` if there is none.
///
/// Random-access ranges are searched from the back, so that a late hit ends early.
/// Cost:    up to n comparisons; no allocation.
/// Threads: with a parallel policy elements are compared by several at once.
/// Errors:  the first exception that a comparison throws.
/// Example: tests/algorithms/find_test.cpp: the_last_of_several_hits_is_found.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          algorithms::detail::value_for<It> T = std::iter_value_t<It>>
[[gnu::always_inline]] inline algorithm_result_t<Policy, It> find_last(Policy&& policy,
                                                                       It first,
                                                                       It last,
                                                                       const T& value) {
  return algorithms::detail::launch<algorithms::detail::find_last_call>(policy, first, last, value);
}

/// Finds the last element for which `passes(element)`; `last` if there is none. See `find_last`.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          algorithms::detail::predicate_on<It> Predicate>
[[gnu::always_inline]] inline algorithm_result_t<Policy, It> find_last_if(Policy&& policy,
                                                                          It first,
                                                                          It last,
                                                                          Predicate passes) {
  return algorithms::detail::launch<algorithms::detail::find_last_if_call>(
      policy, first, last, std::move(passes));
}

/// Finds the last element for which not `passes(element)`; `last` if none. See `find_last`.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          algorithms::detail::predicate_on<It> Predicate>
[[gnu::always_inline]] inline algorithm_result_t<Policy, It> find_last_if_not(Policy&& policy,
                                                                              It first,
                                                                              It last,
                                                                              Predicate passes) {
  return algorithms::detail::launch<algorithms::detail::find_last_if_not_call>(
      policy, first, last, std::move(passes));
}

}  // namespace weft
