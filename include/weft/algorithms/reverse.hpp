// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reverse and reverse_copy with an execution policy.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>

#include "weft/algorithms/detail/calls/launch.hpp"
#include "weft/algorithms/detail/loops/map.hpp"
#include "weft/algorithms/detail/loops/wide.hpp"
#include "weft/algorithms/policy.hpp"

namespace weft {
namespace algorithms::detail {

/// Swaps front[k] with back[-1 - k] for k in [first, last), which holds whole blocks.
template <std::size_t length, class T>
[[gnu::always_inline]] inline void reverse_blocks(T* front,
                                                  T* back,
                                                  std::size_t first,
                                                  std::size_t last) noexcept {
  for (; first < last; first += length) {
    T* const a = front + first;
    T* const b = back - first - length;
    WEFT_INDEPENDENT_ITERATIONS
    for (std::size_t k = 0; k < length; ++k) {
      const T kept = a[k];
      a[k] = b[length - 1 - k];
      b[length - 1 - k] = kept;
    }
  }
}

/// The same for any.
template <class T>
inline void reverse_block(T* front, T* back, std::size_t first, std::size_t last) noexcept {
  const auto swap_one = [front, back](std::size_t i) {
    T* const b = back - i - 1;
    const T kept = front[i];
    front[i] = *b;
    *b = kept;
  };
  for (std::size_t i = num_before_vector(front + first, last - first); i != 0; --i, ++first) {
    swap_one(first);
  }
  const std::size_t whole = last - (last - first) % block_length<T>;
  if (first < whole) {
    run_vectorized([=]() __attribute__((always_inline)) {
      reverse_blocks<block_length<T>>(front, back, first, whole);
    });
  }
  for (std::size_t i = whole; i < last; ++i) {
    swap_one(i);
  }
}

template <class How, class It>
inline void reverse_indexed(const How& how, It first, std::size_t n, cost_record& costs) {
  const loop_shape shape{n / 2, 4 * element_bytes<It>, elements_per_line<std::iter_value_t<It>>};
  if constexpr (plain_output<It> && std::is_scalar_v<std::iter_value_t<It>>) {
    auto* const front = std::to_address(first);
    for_chunks(how, shape, costs, [front, n](std::size_t from, std::size_t to) {
      reverse_block(front, front + n, from, to);
    });
  } else {
    for_chunks(how, shape, costs, [&first, n](std::size_t from, std::size_t to) {
      for (; from < to; ++from) {
        std::iter_swap(at(first, from), at(first, n - 1 - from));
      }
    });
  }
}

struct reverse_call {
  template <class How, class It>
  static void run(const How& how, It first, It last) {
    if constexpr (in_any_order<How> && indexable_output<It>) {
      static constinit cost_record costs;
      const std::size_t n = count_of(first, last);
      if (n > 1 || !may_be_short<How>) {
        reverse_indexed(how, first, n, costs);
      }
    } else {
      std::reverse(first, last);
    }
  }
};

/// Element i from the end.
template <class In>
struct from_the_end {
  In in;
  std::size_t n;
  constexpr decltype(auto) operator()(std::size_t i) const { return element(in, n - 1 - i); }
};

struct reverse_copy_call {
  template <class How, class In, class Out>
  static Out run(const How& how, In first, In last, Out out) {
    if constexpr (in_any_order<How> && indexable<In> && indexable_output<Out>) {
      static constinit cost_record costs;
      const std::size_t n = count_of(first, last);
      const auto in = unwrapped(first);
      map_into(
          how, n, element_bytes<In>, costs, out, from_the_end<decltype(unwrapped(first))>{in, n});
      return at(out, n);
    } else {
      return std::reverse_copy(first, last, out);
    }
  }
};

}  // namespace algorithms::detail

/// Puts the elements of [first, last) into the opposite order.
///
/// Cost:    n/2 swaps; reads and writes every element once; no memory.
/// Threads: any; see the policy. With forward iterators the calling thread works alone.
/// Errors:  the first exception is rethrown; the order is then unspecified.
/// Example: tests/algorithms/permute_test.cpp: reverses_as_std_does.
template <execution_policy Policy, std::bidirectional_iterator It>
  requires std::indirectly_swappable<It>
auto reverse(Policy&& policy, It first, It last) -> algorithm_result_t<Policy, void> {
  return algorithms::detail::launch<algorithms::detail::reverse_call>(policy, first, last);
}

/// Copies [first, last) in the opposite order to `out` and returns the end of what was written.
///
/// Shape:   the ranges do not overlap.
/// Cost:    n assignments; reads and writes every element once; non-temporal stores if the output
///          exceeds the caches and its elements are trivially copyable; no memory.
/// Threads: any; see the policy. With forward iterators the calling thread works alone.
/// Errors:  the first exception is rethrown; which elements were written is then unspecified.
/// Example: tests/algorithms/permute_test.cpp: reverses_as_std_does.
template <execution_policy Policy, std::bidirectional_iterator In, std::forward_iterator Out>
auto reverse_copy(Policy&& policy, In first, In last, Out out) -> algorithm_result_t<Policy, Out> {
  return algorithms::detail::launch<algorithms::detail::reverse_copy_call>(
      policy, first, last, out);
}

}  // namespace weft
