// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first element that is one of several values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/kernels/number_kernels.hpp"
#include "weft/algorithms/detail/loops/equal_value.hpp"
#include "weft/algorithms/detail/loops/search_in.hpp"
#include "weft/algorithms/detail/loops/walk.hpp"
#include "weft/algorithms/detail/loops/walked_loops.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"
#include "weft/algorithms/mismatch.hpp"

namespace weft {

namespace algorithms::detail {

/// The first of [begin, end) that is one of the values, or `end`. It searches one value after the
/// other in a block that fits the cache, each only up to the hits of those before. Blocks grow, so
/// that few elements behind an early hit are read.
template <class It, class Values>
[[nodiscard]] std::size_t first_of_numbers(
    It first, std::size_t begin, std::size_t end, Values v_first, Values v_last) {
  constexpr std::size_t longest_block = 1024;
  for (std::size_t block = kernels::least_elements; begin != end;
       block = std::min(2 * block, longest_block)) {
    const std::size_t block_end = begin + std::min(block, end - begin);
    std::size_t hit = block_end;
    for (Values value = v_first; value != v_last; ++value) {
      hit = first_equal(first, begin, hit, *value);
    }
    if (hit != block_end) {
      return hit;
    }
    begin = block_end;
  }
  return end;
}

struct find_first_of_call {
  template <class How, class It, class Values, class Predicate>
  // NOLINTNEXTLINE(readability-function-size): the standard's parameters
  [[gnu::always_inline]] static It run(
      const How& how, It first, It last, Values v_first, Values v_last, Predicate&& match) {
    if constexpr (is_shared<How, It>) {
      const auto scan = [first, v_first, v_last, &match](std::size_t begin, std::size_t end) {
        if constexpr (has_pair_kernel<It, Values, Predicate>()) {
          if (end - begin >= kernels::least_elements) {
            return first_of_numbers(first, begin, end, v_first, v_last);
          }
        }
        return size_between(first,
                            std::find_first_of(iterator_at(first, begin),
                                               iterator_at(first, end),
                                               v_first,
                                               v_last,
                                               reference_to<Predicate>{match}));
      };
      return iterator_at(first, search_in(how, size_between(first, last), bytes_of<It>, scan));
    } else if constexpr (is_walked<How, It>) {
      const auto is_one = [&](const It& it) -> bool {
        return std::any_of(v_first, v_last, [&](auto&& value) -> bool {
          return static_cast<bool>(match(*it, value));
        });
      };
      return find_in_walk(how, detail::walk(first, last), is_one).at().first();
    } else {
      return std::find_first_of(first, last, v_first, v_last, reference_to<Predicate>{match});
    }
  }
};

}  // namespace algorithms::detail

/// Finds the first element x of [first, last) for which `match(x, v)` for one of the values v of
/// [v_first, v_last); `last` if there is none.
///
/// Cost:    up to n times the number of values comparisons; no allocation.
/// Threads: with a parallel policy elements are compared by several at once.
/// Errors:  the first exception that a comparison throws.
/// Example: tests/algorithms/compare_test.cpp: one_of_several_values_is_found.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          algorithms::detail::multipass_iterator Values,
          algorithms::detail::predicate_on<It, Values> Predicate>
// NOLINTNEXTLINE(readability-function-size): the standard's parameters
[[gnu::always_inline]] inline algorithm_result_t<Policy, It> find_first_of(
    Policy&& policy, It first, It last, Values v_first, Values v_last, Predicate match) {
  return algorithms::detail::launch<algorithms::detail::find_first_of_call>(
      policy, first, last, v_first, v_last, std::move(match));
}

/// The same by `==`.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          algorithms::detail::multipass_iterator Values>
  requires algorithms::detail::predicate_on<std::equal_to<>, It, Values>
[[gnu::always_inline]] inline algorithm_result_t<Policy, It> find_first_of(
    Policy&& policy, It first, It last, Values v_first, Values v_last) {
  return weft::find_first_of(policy, first, last, v_first, v_last, std::equal_to<>{});
}

}  // namespace weft
