// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fill and fill_n with an execution policy.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/calls/launch.hpp"
#include "weft/algorithms/detail/loops/fill_bytes.hpp"
#include "weft/algorithms/detail/loops/map.hpp"
#include "weft/algorithms/detail/loops/walk.hpp"
#include "weft/algorithms/detail/loops/walked_loops.hpp"
#include "weft/algorithms/policy.hpp"

namespace weft {
namespace algorithms::detail {

template <class How, class It, class T>
inline void fill_indexed(const How& how, It first, std::size_t n, const T& value) {
  static constinit cost_record costs;
  using element_type = std::iter_value_t<It>;
  if constexpr (plain_output<It> && stageable<element_type, T>) {
    fill_bytes(how, std::to_address(first), n, static_cast<element_type>(value), costs);
  } else {
    const loop_shape shape{n, element_bytes<It>, elements_per_line<element_type>};
    for_chunks(how, shape, costs, [&](std::size_t from, std::size_t to) {
      std::fill(at(first, from), at(first, to), value);
    });
  }
}

struct fill_call {
  template <class How, class It, class T>
  static void run(const How& how, It first, It last, const T& value) {
    if constexpr (in_any_order<How> && indexable_output<It>) {
      fill_indexed(how, first, count_of(first, last), value);
    } else if constexpr (is_walked<How, It>) {
      for_walk(how, detail::walk(first, last), [&value](const It& it) { *it = value; });
    } else {
      std::fill(first, last, value);
    }
  }
};

struct fill_n_call {
  template <class How, class It, class Size, class T>
  static It run(const How& how, It first, Size n, const T& value) {
    if (n <= 0) {
      return first;
    }
    if constexpr (in_any_order<How> && indexable_output<It>) {
      fill_indexed(how, first, static_cast<std::size_t>(n), value);
      return at(first, static_cast<std::size_t>(n));
    } else if constexpr (is_walked<How, It>) {
      return for_walk(how,
                      detail::walk(first, static_cast<std::size_t>(n)),
                      [&value](const It& it) { *it = value; })
          .at()
          .first();
    } else {
      return std::fill_n(first, n, value);
    }
  }
};

}  // namespace algorithms::detail

/// Assigns `value` to every element of [first, last).
///
/// Cost:    n assignments; writes every element once; non-temporal stores if the range exceeds the
///          caches and elements are trivially copyable; no memory.
/// Threads: any; see the policy. Forward iterators share the work, too, if that pays.
/// Errors:  the first exception is rethrown; which elements were written is then unspecified.
/// Example: tests/algorithms/copy_test.cpp: fills_every_element.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          algorithms::detail::assignable_for<It> T = std::iter_value_t<It>>
auto fill(Policy&& policy, It first, It last, const T& value) -> algorithm_result_t<Policy, void> {
  return algorithms::detail::launch<algorithms::detail::fill_call>(policy, first, last, value);
}

/// Assigns `value` to the n elements from `first` on and returns their end; nothing if n is not
/// positive. See fill.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          class Size,
          algorithms::detail::assignable_for<It> T = std::iter_value_t<It>>
auto fill_n(Policy&& policy, It first, Size n, const T& value) -> algorithm_result_t<Policy, It> {
  return algorithms::detail::launch<algorithms::detail::fill_n_call>(policy, first, n, value);
}

}  // namespace weft
