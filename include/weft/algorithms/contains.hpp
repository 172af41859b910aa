// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a value, or a sequence, stands somewhere in a range.
#pragma once

#include <functional>
#include <iterator>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"
#include "weft/algorithms/find.hpp"
#include "weft/algorithms/search.hpp"

namespace weft {

namespace algorithms::detail {

struct contains_call {
  template <class How, class It, class T>
  [[gnu::always_inline]] static bool run(const How& how, It first, It last, const T& value) {
    return find_call::run(how, first, last, value) != last;
  }
};

struct contains_subrange_call {
  template <class How, class It, class Sequence, class Predicate>
  // NOLINTNEXTLINE(readability-function-size): the parameters of search
  [[gnu::always_inline]] static bool run(
      const How& how, It first, It last, Sequence s_first, Sequence s_last, Predicate&& match) {
    return s_first == s_last || search_call::run(how, first, last, s_first, s_last, match) != last;
  }
};

}  // namespace algorithms::detail

/// Whether an element of [first, last) equals `value`.
///
/// Cost, threads, errors: see `find`.
/// Example: tests/algorithms/find_test.cpp: containing_is_finding.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          algorithms::detail::value_for<It> T = std::iter_value_t<It>>
[[gnu::always_inline]] inline algorithm_result_t<Policy, bool> contains(Policy&& policy,
                                                                        It first,
                                                                        It last,
                                                                        const T& value) {
  return algorithms::detail::launch<algorithms::detail::contains_call>(policy, first, last, value);
}

/// Whether the sequence [s_first, s_last) stands in [first, last); an empty one does.
///
/// Cost, threads, errors: see `search`.
/// Example: tests/algorithms/compare_test.cpp: sequences_are_found_where_the_standard_finds_them.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          algorithms::detail::multipass_iterator Sequence,
          algorithms::detail::predicate_on<It, Sequence> Predicate = std::equal_to<>>
// NOLINTNEXTLINE(readability-function-size): the parameters of search
[[gnu::always_inline]] inline algorithm_result_t<Policy, bool> contains_subrange(
    Policy&& policy, It first, It last, Sequence s_first, Sequence s_last, Predicate match = {}) {
  return algorithms::detail::launch<algorithms::detail::contains_subrange_call>(
      policy, first, last, s_first, s_last, std::move(match));
}

}  // namespace weft
