// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// generate and generate_n with an execution policy.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/calls/launch.hpp"
#include "weft/algorithms/detail/loops/map.hpp"
#include "weft/algorithms/detail/loops/walk.hpp"
#include "weft/algorithms/detail/loops/walked_loops.hpp"
#include "weft/algorithms/policy.hpp"

namespace weft {
namespace algorithms::detail {

template <class How, class It, class Generator>
inline void generate_indexed(const How& how, It first, std::size_t n, Generator& generator) {
  static constinit cost_record costs;
  const auto make = held<>(generator);
  map_into(how, n, 0, costs, first, made_anywhere<std::remove_const_t<decltype(make)>>{make});
}

struct generate_call {
  template <class How, class It, class Generator>
  static void run(const How& how, It first, It last, Generator&& generator) {
    if constexpr (in_any_order<How> && indexable_output<It>) {
      generate_indexed(how, first, count_of(first, last), generator);
    } else if constexpr (is_walked<How, It>) {
      for_walk(how, detail::walk(first, last), [&generator](const It& it) { *it = generator(); });
    } else {
      std::generate(first, last, std::ref(generator));
    }
  }
};

struct generate_n_call {
  template <class How, class It, class Size, class Generator>
  static It run(const How& how, It first, Size n, Generator&& generator) {
    if (n <= 0) {
      return first;
    }
    if constexpr (in_any_order<How> && indexable_output<It>) {
      generate_indexed(how, first, static_cast<std::size_t>(n), generator);
      return at(first, static_cast<std::size_t>(n));
    } else if constexpr (is_walked<How, It>) {
      return for_walk(how,
                      detail::walk(first, static_cast<std::size_t>(n)),
                      [&generator](const It& it) { *it = generator(); })
          .at()
          .first();
    } else {
      return std::generate_n(first, n, std::ref(generator));
    }
  }
};

}  // namespace algorithms::detail

/// Assigns what `generator()` returns to every element of [first, last), in any order.
///
/// Cost:    n calls; writes every element once; non-temporal stores if the range exceeds the caches
///          and elements are trivially copyable; no memory.
/// Threads: any; `generator` itself is called by several at once, or copies of it if it is
///          trivially copyable and callable as a constant.
/// Errors:  the first exception is rethrown; which elements were written is then unspecified.
/// Example: tests/algorithms/copy_test.cpp: generates_one_value_per_element.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          algorithms::detail::maker_on<It> Generator>
auto generate(Policy&& policy, It first, It last, Generator generator)
    -> algorithm_result_t<Policy, void> {
  return algorithms::detail::launch<algorithms::detail::generate_call>(
      policy, first, last, std::move(generator));
}

/// Assigns what `generator()` returns to the n elements from `first` on and returns their end;
/// nothing if n is not positive. See generate.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          class Size,
          algorithms::detail::maker_on<It> Generator>
auto generate_n(Policy&& policy, It first, Size n, Generator generator)
    -> algorithm_result_t<Policy, It> {
  return algorithms::detail::launch<algorithms::detail::generate_n_call>(
      policy, first, n, std::move(generator));
}

}  // namespace weft
