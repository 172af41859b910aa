// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first place where two ranges differ.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
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

/// Whether a compiled kernel compares the elements of both ranges as `Predicate` does.
template <class It1, class It2, class Predicate>
[[nodiscard]] consteval bool has_pair_kernel() {
  if constexpr (kernels::has_equality_kernels<It1> && kernels::has_equality_kernels<It2>) {
    return std::is_same_v<std::iter_value_t<It1>, std::iter_value_t<It2>> &&
           kernels::is_equality<Predicate, std::iter_value_t<It1>>;
  } else {
    return false;
  }
}

/// The first i of [begin, end) where the ranges do not match, or `end`.
template <class It1, class It2, class Predicate>
[[nodiscard]] std::size_t first_difference(
    It1 first1, It2 first2, std::size_t begin, std::size_t end, Predicate& match) {
  if constexpr (has_pair_kernel<It1, It2, std::remove_cvref_t<Predicate>>()) {
    if (end - begin >= kernels::least_elements) {
      using number = kernels::equality_number<std::iter_value_t<It1>>;
      return begin + kernels::find_pair_different(kernels::data_of<number>(first1) + begin,
                                                  kernels::data_of<number>(first2) + begin,
                                                  end - begin);
    }
  }
  if constexpr (is_tested_in_blocks<It1> && is_tested_in_blocks<It2>) {
    auto* const data1 = std::to_address(first1);
    auto* const data2 = std::to_address(first2);
    return first_in_blocks<std::iter_value_t<It1>>(
        begin, end, [data1, data2, &match](std::size_t i) {
          return !static_cast<bool>(match(data1[i], data2[i]));
        });
  }
  It1 a = iterator_at(first1, begin);
  It2 b = iterator_at(first2, begin);
  for (; begin != end && static_cast<bool>(match(*a, *b));
       ++begin, static_cast<void>(++a), static_cast<void>(++b)) {
  }
  return begin;
}

/// The first i of [0, n) where the ranges do not match, or n.
template <class How, class It1, class It2, class Predicate>
[[gnu::always_inline]] inline std::size_t search_difference(
    const How& how, It1 first1, It2 first2, std::size_t n, Predicate& match) {
  return search_in(
      how, n, bytes_of<It1, It2>, [first1, first2, &match](std::size_t begin, std::size_t end) {
        return first_difference(first1, first2, begin, end, match);
      });
}

struct mismatch_call {
  template <class How, class It1, class It2, class Predicate>
  [[gnu::always_inline]] static std::pair<It1, It2> run(
      const How& how, It1 first1, It1 last1, It2 first2, Predicate&& match) {
    if constexpr (is_shared<How, It1, It2>) {
      const std::size_t hit =
          search_difference(how, first1, first2, size_between(first1, last1), match);
      return {iterator_at(first1, hit), iterator_at(first2, hit)};
    } else if constexpr (is_walked<How, It1, It2>) {
      const auto differ = [&match](const It1& a, const It2& b) -> bool {
        return !static_cast<bool>(match(*a, *b));
      };
      const auto end = find_in_walk(how, detail::walk(first1, last1, first2), differ).at();
      return {end.first(), end.template get<1>()};
    } else {
      return std::mismatch(first1, last1, first2, reference_to<Predicate>{match});
    }
  }
};

struct bounded_mismatch_call {
  template <class How, class It1, class It2, class Predicate>
  // NOLINTNEXTLINE(readability-function-size): the standard's parameters
  [[gnu::always_inline]] static std::pair<It1, It2> run(
      const How& how, It1 first1, It1 last1, It2 first2, It2 last2, Predicate&& match) {
    if constexpr (is_shared<How, It1, It2>) {
      const std::size_t n = std::min(size_between(first1, last1), size_between(first2, last2));
      const std::size_t hit = search_difference(how, first1, first2, n, match);
      return {iterator_at(first1, hit), iterator_at(first2, hit)};
    } else {
      return std::mismatch(first1, last1, first2, last2, reference_to<Predicate>{match});
    }
  }
};

}  // namespace algorithms::detail

/// Finds the first place where not `match(a, b)`; the ends if there is none.
///
/// Shape:   from `first2` on there are as many elements as in [first1, last1).
/// Cost:    up to n comparisons, and those of chunks that others had begun; no allocation.
/// Threads: with a parallel policy elements are compared by several at once.
/// Errors:  the first exception that a comparison throws.
/// Example: tests/algorithms/compare_test.cpp: the_first_difference_is_found.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It1,
          algorithms::detail::multipass_iterator It2,
          algorithms::detail::predicate_on<It1, It2> Predicate>
  requires(!std::is_same_v<It2, Predicate>)
[[gnu::always_inline]] inline algorithm_result_t<Policy, std::pair<It1, It2>> mismatch(
    Policy&& policy, It1 first1, It1 last1, It2 first2, Predicate match) {
  return algorithms::detail::launch<algorithms::detail::mismatch_call>(
      policy, first1, last1, first2, std::move(match));
}

/// Finds the first place where the ranges differ; the ends if there is none.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It1,
          algorithms::detail::multipass_iterator It2>
  requires algorithms::detail::predicate_on<std::equal_to<>, It1, It2>
[[gnu::always_inline]] inline algorithm_result_t<Policy, std::pair<It1, It2>> mismatch(
    Policy&& policy, It1 first1, It1 last1, It2 first2) {
  return weft::mismatch(policy, first1, last1, first2, std::equal_to<>{});
}

/// The same for ranges that may have different sizes: the shorter one bounds the search.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It1,
          algorithms::detail::multipass_iterator It2,
          algorithms::detail::predicate_on<It1, It2> Predicate>
// NOLINTNEXTLINE(readability-function-size): the standard's parameters
[[gnu::always_inline]] inline algorithm_result_t<Policy, std::pair<It1, It2>> mismatch(
    Policy&& policy, It1 first1, It1 last1, It2 first2, It2 last2, Predicate match) {
  return algorithms::detail::launch<algorithms::detail::bounded_mismatch_call>(
      policy, first1, last1, first2, last2, std::move(match));
}

/// The same by `==`.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It1,
          algorithms::detail::multipass_iterator It2>
  requires algorithms::detail::predicate_on<std::equal_to<>, It1, It2>
[[gnu::always_inline]] inline algorithm_result_t<Policy, std::pair<It1, It2>> mismatch(
    Policy&& policy, It1 first1, It1 last1, It2 first2, It2 last2) {
  return weft::mismatch(policy, first1, last1, first2, last2, std::equal_to<>{});
}

}  // namespace weft
