// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// rotate and rotate_copy with an execution policy.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "weft/algorithms/copy.hpp"
#include "weft/algorithms/detail/displace.hpp"
#include "weft/algorithms/detail/launch.hpp"
#include "weft/algorithms/detail/map.hpp"
#include "weft/algorithms/detail/streaming.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/reverse.hpp"

namespace weft {
namespace algorithms::detail {

/// Rotates bytes: the shorter side steps aside while the longer one moves.
template <class How, class T>
void rotate_around(const How& how, T* first, std::size_t m, std::size_t n, T* aside) {
  static constinit cost_record costs;
  const std::size_t r = n - m;
  if (m <= r) {
    copy_bytes(how, aside, first, m, costs);
    displace<toward::front>(how, first, n, m);
    copy_bytes(how, first + r, aside, m, costs);
  } else {
    copy_bytes(how, aside, first + m, r, costs);
    displace<toward::back>(how, first, n, r);
    copy_bytes(how, first, aside, r, costs);
  }
}

/// Three reversals: no memory, and every element stays in the range whatever throws.
template <class How, class It>
void rotate_by_reversals(const How& how, It first, std::size_t m, std::size_t n) {
  static constinit cost_record costs;
  reverse_indexed(how, first, m, costs);
  reverse_indexed(how, at(first, m), n - m, costs);
  reverse_indexed(how, first, n, costs);
}

template <class How, class T>
void rotate_bytes(const How& how, T* first, std::size_t m, std::size_t n) {
  const std::size_t shorter = std::min(m, n - m);
  constexpr std::size_t room = std::max(stage_bytes / sizeof(T), std::size_t{1});
  if (shorter <= room) {
    alignas(T) std::array<std::byte, room * sizeof(T)> aside;  // NOLINT: filled before it is read
    rotate_around(how, first, m, n, static_cast<T*>(static_cast<void*>(aside.data())));
    return;
  }
  struct release {
    void operator()(T* p) const noexcept { std::allocator<T>{}.deallocate(p, size); }
    std::size_t size;
  };
  std::unique_ptr<T, release> aside(nullptr, release{shorter});
  try {
    aside.reset(std::allocator<T>{}.allocate(shorter));
  } catch (const std::bad_alloc&) {
    rotate_by_reversals(how, first, m, n);
    return;
  }
  rotate_around(how, first, m, n, aside.get());
}

struct rotate_call {
  template <class How, class It>
  static It run(const How& how, It first, It middle, It last) {
    if constexpr (How::is_parallel && indexable_output<It>) {
      if (first == middle) {
        return last;
      }
      if (middle == last) {
        return first;
      }
      const std::size_t n = count_of(first, last);
      const std::size_t m = count_of(first, middle);
      constexpr std::size_t too_few = 512;
      if constexpr (copies_bytes<It, It>) {
        rotate_bytes(how, std::to_address(first), m, n);
      } else if (n < too_few || num_shares(how) == 1) {
        std::rotate(first, middle, last);
      } else {
        rotate_by_reversals(how, first, m, n);
      }
      return at(first, n - m);
    } else {
      return std::rotate(first, middle, last);
    }
  }
};

struct rotate_copy_call {
  template <class How, class In, class Out>
  static Out run(const How& how, In first, In middle, In last, Out out) {
    if constexpr (How::is_parallel && indexable<In> && indexable_output<Out>) {
      const Out next = copy_indexed(how, middle, count_of(middle, last), out);
      return copy_indexed(how, first, count_of(first, middle), next);
    } else {
      return std::rotate_copy(first, middle, last, out);
    }
  }
};

}  // namespace algorithms::detail

/// Exchanges [first, middle) and [middle, last), keeping the order inside both, and returns where
/// the element of `first` is now.
///
/// Cost:    trivially copyable elements side by side: each is read and written once, those of the
///          shorter part twice, which takes memory of its size. Others, or if there is none: n
///          swaps by three reversals.
/// Threads: any; see the policy. Iterators that cannot index are walked by the caller alone.
/// Errors:  the first exception is rethrown; the order is then unspecified.
/// Example: tests/algorithms/permute_test.cpp: rotates_as_std_does.
template <execution_policy Policy, std::forward_iterator It>
  requires std::permutable<It>
auto rotate(Policy&& policy, It first, It middle, It last) -> algorithm_result_t<Policy, It> {
  return algorithms::detail::launch<algorithms::detail::rotate_call>(policy, first, middle, last);
}

/// Copies [middle, last) and then [first, middle) to `out` and returns the end.
///
/// Shape:   the ranges do not overlap.
/// Cost:    n assignments; reads and writes every element once, past the caches if the output is
///          larger than they are and elements are trivially copyable; no memory.
/// Threads: any; see the policy. Iterators that cannot index are walked by the caller alone.
/// Errors:  the first exception is rethrown; which elements were written is then unspecified.
/// Example: tests/algorithms/permute_test.cpp: rotates_as_std_does.
template <execution_policy Policy, std::forward_iterator In, std::forward_iterator Out>
auto rotate_copy(Policy&& policy, In first, In middle, In last, Out out)
    -> algorithm_result_t<Policy, Out> {
  return algorithms::detail::launch<algorithms::detail::rotate_copy_call>(
      policy, first, middle, last, out);
}

}  // namespace weft
