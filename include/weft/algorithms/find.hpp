// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first element that equals a value, passes a predicate, or fails it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/loops/blocks.hpp"
#include "weft/algorithms/detail/loops/equal_value.hpp"
#include "weft/algorithms/detail/loops/search_in.hpp"
#include "weft/algorithms/detail/loops/walk.hpp"
#include "weft/algorithms/detail/loops/walked_loops.hpp"
#include "weft/algorithms/detail/memory/next_page.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"

namespace weft {

namespace algorithms::detail {

struct find_call {
  template <class How, class It, class T>
  [[gnu::always_inline]] static It run(const How& how,
                                       const It& first,
                                       const It& last,
                                       const T& value) {
    if constexpr (is_shared<How, It>) {
      return iterator_at(first,
                         search_in(how,
                                   size_between(first, last),
                                   bytes_of<It>,
                                   [first, &value](std::size_t begin, std::size_t end) {
                                     return first_equal(first, begin, end, value);
                                   }));
    } else if constexpr (is_walked<How, It>) {
      return find_in_walk(how,
                          detail::walk(first, last),
                          [&value](const It& it) -> bool { return *it == value; })
          .at()
          .first();
    } else {
      return std::find(first, last, value);
    }
  }
};

/// The first of [begin, end) that passes, or `end`.
template <class It, class Predicate>
[[nodiscard]] std::size_t first_passing(It first,
                                        std::size_t begin,
                                        std::size_t end,
                                        Predicate& passes) {
  if constexpr (is_tested_in_blocks<It>) {
    constexpr std::size_t few = 4 * test_block;  // are sooner looked at one by one
    auto* const data = std::to_address(first);
    if (end - begin <= few) {
      return static_cast<std::size_t>(
          std::find_if(data + begin, data + end, reference_to<Predicate>{passes}) - data);
    }
    return first_in_blocks<std::iter_value_t<It>>(
        begin,
        end,
        [data, &passes](std::size_t i) { return passes(data[i]); },
        [data](std::size_t i) { fetch_next_page(data + i); });
  } else {
    return size_between(
        first,
        std::find_if(
            iterator_at(first, begin), iterator_at(first, end), reference_to<Predicate>{passes}));
  }
}

struct find_if_call {
  template <class How, class It, class Predicate>
  [[gnu::always_inline]] static It run(const How& how, It first, It last, Predicate&& passes) {
    if constexpr (is_shared<How, It>) {
      return iterator_at(first,
                         search_in(how,
                                   size_between(first, last),
                                   bytes_of<It>,
                                   [first, &passes](std::size_t begin, std::size_t end) {
                                     return first_passing(first, begin, end, passes);
                                   }));
    } else if constexpr (is_walked<How, It>) {
      return find_in_walk(
                 how,
                 detail::walk(first, last),
                 [&passes](const It& it) -> bool { return static_cast<bool>(passes(*it)); })
          .at()
          .first();
    } else {
      return std::find_if(first, last, reference_to<Predicate>{passes});
    }
  }
};

/// Whether there is any that passes.
struct any_if_call {
  template <class How, class It, class Predicate>
  [[gnu::always_inline]] static bool run(const How& how, It first, It last, Predicate&& passes) {
    if constexpr (is_shared<How, It>) {
      const std::size_t n = size_between(first, last);
      const auto scan = [first, &passes](std::size_t begin, std::size_t end) {
        return first_passing(first, begin, end, passes);
      };
      return search_in<wanted_hit::any>(how, n, bytes_of<It>, scan) != n;
    } else {
      return find_if_call::run(how, first, last, passes) != last;
    }
  }
};

struct find_if_not_call {
  template <class How, class It, class Predicate>
  [[gnu::always_inline]] static It run(const How& how, It first, It last, Predicate&& passes) {
    return find_if_call::run(how, first, last, negated<Predicate>{passes});
  }
};

}  // namespace algorithms::detail

// By value as in the standard, so that arrays become pointers.
// NOLINTBEGIN(performance-unnecessary-value-param)

/// Finds the first element of [first, last) that equals `value`; `last` if there is none.
///
/// Chunks are searched from the front and those behind a hit are left, so that an early hit ends
/// early.
/// Cost:    up to n comparisons, and those of chunks that others had begun; no allocation.
/// Threads: with a parallel policy elements are compared by several at once.
/// Errors:  the first exception that a comparison throws.
/// Example: tests/algorithms/find_test.cpp: the_first_of_several_hits_is_found.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          algorithms::detail::value_for<It> T = std::iter_value_t<It>>
[[gnu::always_inline]] inline algorithm_result_t<Policy, It> find(Policy&& policy,
                                                                  It first,
                                                                  It last,
                                                                  const T& value) {
  return algorithms::detail::launch<algorithms::detail::find_call>(policy, first, last, value);
}

/// Finds the first element for which `passes(element)`; `last` if there is none. See `find`.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          algorithms::detail::predicate_for<Policy, It> Predicate>
[[gnu::always_inline]] inline algorithm_result_t<Policy, It> find_if(Policy&& policy,
                                                                     It first,
                                                                     It last,
                                                                     Predicate passes) {
  return algorithms::detail::launch<algorithms::detail::find_if_call>(
      policy, first, last, std::move(passes));
}

/// Finds the first element for which not `passes(element)`; `last` if there is none. See `find`.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          algorithms::detail::predicate_for<Policy, It> Predicate>
[[gnu::always_inline]] inline algorithm_result_t<Policy, It> find_if_not(Policy&& policy,
                                                                         It first,
                                                                         It last,
                                                                         Predicate passes) {
  return algorithms::detail::launch<algorithms::detail::find_if_not_call>(
      policy, first, last, std::move(passes));
}

// NOLINTEND(performance-unnecessary-value-param)

}  // namespace weft
