// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls a function for every element of a range.
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/held.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/loops/walk.hpp"
#include "weft/algorithms/detail/loops/walked_loops.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"

namespace weft {

namespace algorithms::detail {

/// Calls `f` for each of `n` elements from `first` on, and returns the end.
template <class It, class F>
[[gnu::always_inline]] inline It for_each_in_sequence(It first, std::size_t n, F& f) {
  if constexpr (indexed_iterator<It>) {
    const It last = first + static_cast<std::iter_difference_t<It>>(n);
    for (; first != last; ++first) {
      f(*first);
    }
  } else {
    for (; n != 0; --n, static_cast<void>(++first)) {
      f(*first);
    }
  }
  return first;
}

/// Shares what has indices. By reference, so that there is one of it for both calls.
template <class How, class It, class F>
[[gnu::always_inline]] inline It for_each_indexed(const How& how, It first, std::size_t n, F& f) {
  static constinit cost_record costs;
  using difference = std::iter_difference_t<It>;
  for_chunks(
      how,
      {.n = n, .bytes_per_element = sizeof(std::iter_value_t<It>)},
      costs,
      [first, call = held<std::iter_reference_t<It>>(f)](std::size_t begin, std::size_t end) {
        static_cast<void>(
            for_each_in_sequence(first + static_cast<difference>(begin), end - begin, call));
      });
  return first + static_cast<difference>(n);
}

struct for_each_n_call {
  template <class How, class It, class F>
  [[gnu::always_inline]] static It run(const How& how, It first, std::size_t n, F&& f) {
    if constexpr (How::is_parallel && indexed_iterator<It>) {
      return for_each_indexed(how, first, n, f);
    } else if constexpr (is_walked<How, It>) {
      return for_walk(how, detail::walk(first, n), [&f](const It& it) { f(*it); }).at().first();
    } else {
      return for_each_in_sequence(first, n, f);
    }
  }
};

struct for_each_call {
  template <class How, class It, class F>
  [[gnu::always_inline]] static void run(const How& how, It first, It last, F&& f) {
    if constexpr (How::is_parallel && indexed_iterator<It>) {
      static_cast<void>(for_each_indexed(how, first, static_cast<std::size_t>(last - first), f));
    } else if constexpr (is_walked<How, It>) {
      for_walk(how, detail::walk(first, last), [&f](const It& it) { f(*it); });
    } else {
      for (; first != last; ++first) {
        f(*first);
      }
    }
  }
};

}  // namespace algorithms::detail

/// Calls `f(x)` for every element x of [first, last).
///
/// Cost:    n calls; no allocation unless others help.
/// Threads: with a parallel policy `f` is called from several at once.
/// Errors:  the first exception that `f` throws, after all calls that had begun have ended.
/// Example: tests/algorithms/policy_test.cpp: calls_every_element_once.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          algorithms::detail::callable_for<Policy, It> F>
[[gnu::always_inline]] inline algorithm_result_t<Policy, void> for_each(Policy&& policy,
                                                                        It first,
                                                                        It last,
                                                                        F f) {
  return algorithms::detail::launch<algorithms::detail::for_each_call>(
      policy, first, last, std::move(f));
}

/// As `for_each` for the `n` elements from `first` on; returns the end.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          std::convertible_to<std::ptrdiff_t> Size,
          algorithms::detail::callable_on<It> F>
[[gnu::always_inline]] inline algorithm_result_t<Policy, It> for_each_n(Policy&& policy,
                                                                        It first,
                                                                        Size n,
                                                                        F f) {
  return algorithms::detail::launch<algorithms::detail::for_each_n_call>(
      policy, first, n > 0 ? static_cast<std::size_t>(n) : 0, std::move(f));
}

}  // namespace weft
