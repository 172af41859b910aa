// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether all, any, or no elements pass a predicate.
#pragma once

#include <iterator>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"
#include "weft/algorithms/find.hpp"

namespace weft {

namespace algorithms::detail {

struct any_of_call {
  template <class How, class It, class Predicate>
  [[gnu::always_inline]] static bool run(const How& how, It first, It last, Predicate&& passes) {
    return any_if_call::run(how, first, last, passes);
  }
};

struct none_of_call {
  template <class How, class It, class Predicate>
  [[gnu::always_inline]] static bool run(const How& how, It first, It last, Predicate&& passes) {
    return !any_if_call::run(how, first, last, passes);
  }
};

struct all_of_call {
  template <class How, class It, class Predicate>
  [[gnu::always_inline]] static bool run(const How& how, It first, It last, Predicate&& passes) {
    return !any_if_call::run(how, first, last, negated<Predicate>{passes});
  }
};

}  // namespace algorithms::detail

/// Whether `passes(element)` for every element of [first, last); true if there is none.
///
/// Cost:    up to n calls. Each worker searches its own part until one worker finds a hit; the
///          others then stop within 64 KiB. Equally fast workers each make as many calls as the
///          finder.
/// Threads: as `find`.
/// Errors:  as `find`.
/// Example: tests/algorithms/find_test.cpp: all_any_and_none_agree_with_the_standard.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          algorithms::detail::predicate_for<Policy, It> Predicate>
[[gnu::always_inline]] inline algorithm_result_t<Policy, bool> all_of(Policy&& policy,
                                                                      It first,
                                                                      It last,
                                                                      Predicate passes) {
  return algorithms::detail::launch<algorithms::detail::all_of_call>(
      policy, first, last, std::move(passes));
}

/// Whether `passes(element)` for an element of [first, last); false if there is none. See `all_of`.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          algorithms::detail::predicate_for<Policy, It> Predicate>
[[gnu::always_inline]] inline algorithm_result_t<Policy, bool> any_of(Policy&& policy,
                                                                      It first,
                                                                      It last,
                                                                      Predicate passes) {
  return algorithms::detail::launch<algorithms::detail::any_of_call>(
      policy, first, last, std::move(passes));
}

/// Whether `passes(element)` for no element of [first, last); true if there is none. See `all_of`.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          algorithms::detail::predicate_for<Policy, It> Predicate>
[[gnu::always_inline]] inline algorithm_result_t<Policy, bool> none_of(Policy&& policy,
                                                                       It first,
                                                                       It last,
                                                                       Predicate passes) {
  return algorithms::detail::launch<algorithms::detail::none_of_call>(
      policy, first, last, std::move(passes));
}

}  // namespace weft
