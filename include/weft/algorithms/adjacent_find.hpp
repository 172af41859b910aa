// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first element that equals the next one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/kernels/number_kernels.hpp"
#include "weft/algorithms/detail/loops/blocks.hpp"
#include "weft/algorithms/detail/loops/search_in.hpp"
#include "weft/algorithms/detail/loops/walk.hpp"
#include "weft/algorithms/detail/loops/walked_loops.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"

namespace weft {

namespace algorithms::detail {

struct adjacent_find_call {
  template <class How, class It, class Predicate>
  [[gnu::always_inline]] static It run(const How& how, It first, It last, Predicate&& match) {
    if constexpr (is_shared<How, It>) {
      const std::size_t n = size_between(first, last);
      if (n < 2) {
        return last;
      }
      const std::size_t hit =
          search_in(how, n - 1, bytes_of<It>, [first, &match](std::size_t begin, std::size_t end) {
            return first_pair(first, begin, end, match);
          });
      return hit == n - 1 ? last : iterator_at(first, hit);
    } else if constexpr (is_walked<How, It>) {
      if (first == last) {
        return last;
      }
      const auto matches = [&match](const It& next, const It& it) -> bool {
        return static_cast<bool>(match(*it, *next));
      };
      const auto end = find_in_walk(how, detail::walk(std::next(first), last, first), matches).at();
      return end.first() == last ? last : end.template get<1>();
    } else {
      return std::adjacent_find(first, last, reference_to<Predicate>{match});
    }
  }

 private:
  template <class It, class Predicate>
  [[nodiscard]] static std::size_t first_pair(It first,
                                              std::size_t begin,
                                              std::size_t end,
                                              Predicate& match) {
    if constexpr (kernels::has_equality_kernels<It>) {
      using element = std::iter_value_t<It>;
      if constexpr (kernels::is_equality<Predicate, element>) {
        if (end - begin >= kernels::least_elements) {
          const auto* const data = kernels::data_of<kernels::equality_number<element>>(first);
          return begin + kernels::find_pair_equal(data + begin, data + begin + 1, end - begin);
        }
      }
    }
    if constexpr (is_tested_in_blocks<It>) {
      auto* const data = std::to_address(first);
      return first_in_blocks<std::iter_value_t<It>>(
          begin, end, [data, &match](std::size_t i) { return match(data[i], data[i + 1]); });
    }
    It it = iterator_at(first, begin);
    for (It next = std::next(it); begin != end && !static_cast<bool>(match(*it, *next));
         ++begin, static_cast<void>(++it), static_cast<void>(++next)) {
    }
    return begin;
  }
};

}  // namespace algorithms::detail

/// Finds the first element x of [first, last) for which `match(x, next)`; `last` if there is none.
///
/// Cost:    up to n - 1 calls of `match`, and those of chunks that others had begun; no allocation.
/// Threads: with a parallel policy `match` is called from several at once.
/// Errors:  the first exception that `match` throws.
/// Example: tests/algorithms/find_test.cpp: neighbours_that_match_are_found.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          algorithms::detail::predicate_on<It, It> Predicate>
[[gnu::always_inline]] inline algorithm_result_t<Policy, It> adjacent_find(Policy&& policy,
                                                                           It first,
                                                                           It last,
                                                                           Predicate match) {
  return algorithms::detail::launch<algorithms::detail::adjacent_find_call>(
      policy, first, last, std::move(match));
}

/// Finds the first element that equals the next one; `last` if there is none.
template <execution_policy Policy, algorithms::detail::multipass_iterator It>
  requires algorithms::detail::predicate_on<std::equal_to<>, It, It>
[[gnu::always_inline]] inline algorithm_result_t<Policy, It> adjacent_find(Policy&& policy,
                                                                           It first,
                                                                           It last) {
  return weft::adjacent_find(policy, first, last, std::equal_to<>{});
}

}  // namespace weft
