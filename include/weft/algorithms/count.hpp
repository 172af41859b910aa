// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many elements equal a value or pass a predicate.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/loops/blocks.hpp"
#include "weft/algorithms/detail/loops/equal_value.hpp"
#include "weft/algorithms/detail/loops/walk.hpp"
#include "weft/algorithms/detail/loops/walked_loops.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"

namespace weft {

namespace algorithms::detail {

/// The sum of `count(begin, end)` over the chunks of `n` elements.
template <class How, class Count>
[[gnu::always_inline]] inline std::size_t count_chunks(const How& how,
                                                       std::size_t n,
                                                       std::size_t bytes_per_element,
                                                       Count count) {
  static constinit cost_record costs;
  if (n == 0) {
    return 0;
  }
  return reduce_chunks<std::size_t>(
      how, {.n = n, .bytes_per_element = bytes_per_element}, costs, count, std::plus<>{});
}

struct count_call {
  template <class How, class It, class T>
  [[gnu::always_inline]] static std::iter_difference_t<It> run(const How& how,
                                                               It first,
                                                               It last,
                                                               const T& value) {
    if constexpr (is_shared<How, It>) {
      return static_cast<std::iter_difference_t<It>>(
          count_chunks(how,
                       size_between(first, last),
                       bytes_of<It>,
                       [first, &value](std::size_t begin, std::size_t end) {
                         return num_equal(first, begin, end, value);
                       }));
    } else if constexpr (is_walked<How, It>) {
      return static_cast<std::iter_difference_t<It>>(count_in_walk(
          how, detail::walk(first, last), [&value](const It& it) -> bool { return *it == value; }));
    } else {
      return std::count(first, last, value);
    }
  }
};

/// How many of [begin, end) pass.
template <class It, class Predicate>
[[nodiscard]] std::size_t num_passing(It first,
                                      std::size_t begin,
                                      std::size_t end,
                                      Predicate& passes) {
  if constexpr (is_tested_in_blocks<It>) {
    auto* const data = std::to_address(first);
    return num_in_blocks<std::iter_value_t<It>>(
        begin, end, [data, &passes](std::size_t i) { return passes(data[i]); });
  } else {
    std::size_t count = 0;
    const It stop = iterator_at(first, end);
    for (It it = iterator_at(first, begin); it != stop; ++it) {
      count += static_cast<bool>(passes(*it)) ? 1U : 0U;
    }
    return count;
  }
}

struct count_if_call {
  template <class How, class It, class Predicate>
  [[gnu::always_inline]] static std::iter_difference_t<It> run(const How& how,
                                                               It first,
                                                               It last,
                                                               Predicate&& passes) {
    if constexpr (is_shared<How, It>) {
      return static_cast<std::iter_difference_t<It>>(
          count_chunks(how,
                       size_between(first, last),
                       bytes_of<It>,
                       [first, &passes](std::size_t begin, std::size_t end) {
                         return num_passing(first, begin, end, passes);
                       }));
    } else if constexpr (is_walked<How, It>) {
      return static_cast<std::iter_difference_t<It>>(
          count_in_walk(how, detail::walk(first, last), [&passes](const It& it) -> bool {
            return static_cast<bool>(passes(*it));
          }));
    } else {
      return std::count_if(first, last, reference_to<Predicate>{passes});
    }
  }
};

}  // namespace algorithms::detail

/// Counts the elements of [first, last) that equal `value`.
///
/// Cost:    n comparisons, each element is read once; allocates a number per chunk only where
///          others help.
/// Threads: with a parallel policy elements are compared by several at once.
/// Errors:  the first exception that a comparison throws.
/// Example: tests/algorithms/reduce_test.cpp: counts_agree_with_the_standard.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          algorithms::detail::value_for<It> T = std::iter_value_t<It>>
[[gnu::always_inline]] inline algorithm_result_t<Policy, std::iter_difference_t<It>> count(
    Policy&& policy, It first, It last, const T& value) {
  return algorithms::detail::launch<algorithms::detail::count_call>(policy, first, last, value);
}

/// Counts the elements of [first, last) for which `passes(element)`. See `count`.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          algorithms::detail::predicate_for<Policy, It> Predicate>
[[gnu::always_inline]] inline algorithm_result_t<Policy, std::iter_difference_t<It>> count_if(
    Policy&& policy, It first, It last, Predicate passes) {
  return algorithms::detail::launch<algorithms::detail::count_if_call>(
      policy, first, last, std::move(passes));
}

}  // namespace weft
