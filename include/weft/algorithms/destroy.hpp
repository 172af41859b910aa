// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// destroy and destroy_n with an execution policy.
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>

#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/calls/launch.hpp"
#include "weft/algorithms/detail/loops/map.hpp"
#include "weft/algorithms/detail/loops/walk.hpp"
#include "weft/algorithms/detail/loops/walked_loops.hpp"
#include "weft/algorithms/policy.hpp"

namespace weft {
namespace algorithms::detail {

/// Destroys elements [from, to). Small ones four at a time: compilers do not merge what destructors
/// store, and a jump for each takes as long as two stores.
template <class It>
inline void destroy_block(const It& first, std::size_t from, std::size_t to) {
  constexpr std::size_t small_bytes = 16;
  if constexpr (element_bytes<It> <= small_bytes) {
    for (; to - from >= 4; from += 4) {
      std::destroy_at(std::addressof(element(first, from)));
      std::destroy_at(std::addressof(element(first, from + 1)));
      std::destroy_at(std::addressof(element(first, from + 2)));
      std::destroy_at(std::addressof(element(first, from + 3)));
    }
  }
  std::destroy(at(first, from), at(first, to));
}

struct destroy_call {
  template <class How, class It>
  static void run(const How& how, It first, It last) {
    if constexpr (std::is_trivially_destructible_v<std::iter_value_t<It>>) {
      return;
    } else if constexpr (How::is_parallel && indexable<It>) {
      static constinit cost_record costs;
      for_chunks(how,
                 loop_shape{count_of(first, last), element_bytes<It>},
                 costs,
                 [first](std::size_t from, std::size_t to) { destroy_block(first, from, to); });
    } else if constexpr (is_walked<How, It>) {
      for_walk(how, detail::walk(first, last), [](const It& it) {
        std::destroy_at(std::addressof(*it));
      });
    } else {
      std::destroy(first, last);
    }
  }
};

struct destroy_n_call {
  template <class How, class It, class Size>
  static It run(const How& how, It first, Size n) {
    if (n <= 0) {
      return first;
    }
    if constexpr (indexable<It>) {
      const It last = at(first, static_cast<std::size_t>(n));
      destroy_call::run(how, first, last);
      return last;
    } else if constexpr (std::is_trivially_destructible_v<std::iter_value_t<It>>) {
      return std::next(first, static_cast<std::iter_difference_t<It>>(n));
    } else if constexpr (is_walked<How, It>) {
      const auto end_one = [](const It& it) { std::destroy_at(std::addressof(*it)); };
      return for_walk(how, detail::walk(first, static_cast<std::size_t>(n)), end_one).at().first();
    } else {
      return std::destroy_n(first, n);
    }
  }
};

}  // namespace algorithms::detail

/// Destroys the objects of [first, last).
///
/// Cost:    n destructors; nothing for types whose destructor is trivial; no memory.
/// Threads: any; see the policy. Forward iterators share the work, too, if that pays.
/// Errors:  none unless a destructor throws.
/// Example: tests/algorithms/uninitialized_test.cpp: destroys_every_object.
template <execution_policy Policy, algorithms::detail::multipass_iterator It>
  requires std::destructible<std::iter_value_t<It>>
auto destroy(Policy&& policy, It first, It last) -> algorithm_result_t<Policy, void> {
  return algorithms::detail::launch<algorithms::detail::destroy_call>(policy, first, last);
}

/// Destroys the n objects from `first` on and returns their end; nothing if n is not positive. See
/// destroy.
template <execution_policy Policy, algorithms::detail::multipass_iterator It, class Size>
  requires std::destructible<std::iter_value_t<It>>
auto destroy_n(Policy&& policy, It first, Size n) -> algorithm_result_t<Policy, It> {
  return algorithms::detail::launch<algorithms::detail::destroy_n_call>(policy, first, n);
}

}  // namespace weft
