// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// swap_ranges with an execution policy.
#pragma once

#include <algorithm>
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
#include "weft/algorithms/detail/loops/wide.hpp"
#include "weft/algorithms/policy.hpp"

namespace weft {
namespace algorithms::detail {

/// Elements that a swap may exchange byte by byte: numbers and pointers, which have no overloads.
template <class It>
concept plain_scalars = plain_output<It> && std::is_scalar_v<std::iter_value_t<It>>;

template <class T>
inline void swap_block(T* a, T* b, std::size_t n) noexcept {
  constexpr std::size_t length = block_length<T>;
  const std::size_t whole = n - n % length;
  if (whole != 0) {
    run_vectorized([=]() __attribute__((always_inline)) {
      for (std::size_t i = 0; i < whole; i += length) {
        WEFT_INDEPENDENT_ITERATIONS
        for (std::size_t k = 0; k < length; ++k) {
          const T kept = a[i + k];
          a[i + k] = b[i + k];
          b[i + k] = kept;
        }
      }
    });
  }
  std::swap_ranges(a + whole, a + n, b + whole);
}

struct swap_ranges_call {
  template <class How, class It1, class It2>
  static It2 run(const How& how, It1 first, It1 last, It2 second) {
    if constexpr (in_any_order<How> && indexable_output<It1> && indexable_output<It2>) {
      static constinit cost_record costs;
      const std::size_t n = count_of(first, last);
      const loop_shape shape{n,
                             2 * (element_bytes<It1> + element_bytes<It2>),
                             elements_per_line<std::iter_value_t<It1>>};
      for_chunks(how, shape, costs, [&](std::size_t from, std::size_t to) {
        if constexpr (plain_scalars<It1> && plain_scalars<It2> &&
                      std::is_same_v<std::iter_value_t<It1>, std::iter_value_t<It2>>) {
          swap_block(std::to_address(first) + from, std::to_address(second) + from, to - from);
        } else {
          std::swap_ranges(at(first, from), at(first, to), at(second, from));
        }
      });
      return at(second, n);
    } else if constexpr (is_walked<How, It1, It2>) {
      const auto swap_two = [](const It1& a, const It2& b) { std::iter_swap(a, b); };
      return for_walk(how, detail::walk(first, last, second), swap_two).at().template get<1>();
    } else {
      return std::swap_ranges(first, last, second);
    }
  }
};

}  // namespace algorithms::detail

/// Swaps the elements of [first, last) with those from `second` on and returns the latter's end.
///
/// Shape:   the ranges do not overlap.
/// Cost:    n swaps; reads and writes every element of both once; no memory.
/// Threads: any; see the policy. Forward iterators share the work, too, if that pays.
/// Errors:  the first exception is rethrown; which elements were swapped is then unspecified.
/// Example: tests/algorithms/permute_test.cpp: swaps_two_ranges.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It1,
          algorithms::detail::multipass_iterator It2>
  requires std::indirectly_swappable<It1, It2>
auto swap_ranges(Policy&& policy, It1 first, It1 last, It2 second)
    -> algorithm_result_t<Policy, It2> {
  return algorithms::detail::launch<algorithms::detail::swap_ranges_call>(
      policy, first, last, second);
}

}  // namespace weft
