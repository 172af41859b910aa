// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether all elements that pass a predicate come before all that do not.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "weft/algorithms/detail/engine.hpp"
#include "weft/algorithms/detail/index.hpp"
#include "weft/algorithms/find.hpp"

namespace weft {

namespace algorithms::detail {

struct is_partitioned_call {
  template <class How, class It, class Predicate>
  [[gnu::always_inline]] static bool run(const How& how, It first, It last, Predicate&& passes) {
    if constexpr (is_shared<How, It>) {
      constexpr std::size_t few = 32;
      if (size_between(first, last) <= few) {
        return std::is_partitioned(first, last, reference_to<Predicate>{passes});
      }
    }
    const It border = find_if_call::run(how, first, last, negated<Predicate>{passes});
    return border == last || find_if_call::run(how, std::next(border), last, passes) == last;
  }
};

}  // namespace algorithms::detail

/// Whether no element of [first, last) that passes comes behind one that does not.
///
/// Cost:    each element is looked at once, up to the first that proves the opposite; no
/// allocation. Threads: with a parallel policy `passes` is called from several at once. Errors: the
/// first exception that `passes` throws. Example: tests/algorithms/compare_test.cpp:
/// partitions_are_recognised.
template <execution_policy Policy, std::forward_iterator It, class Predicate>
[[gnu::always_inline]] inline algorithm_result_t<Policy, bool> is_partitioned(Policy&& policy,
                                                                              It first,
                                                                              It last,
                                                                              Predicate passes) {
  return algorithms::detail::launch<algorithms::detail::is_partitioned_call>(
      policy, first, last, std::move(passes));
}

}  // namespace weft
