// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// rotate and rotate_copy with an execution policy.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>

#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/calls/launch.hpp"
#include "weft/algorithms/detail/loops/map.hpp"
#include "weft/algorithms/detail/loops/rotate_bytes.hpp"
#include "weft/algorithms/detail/memory/streaming.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/reverse.hpp"

namespace weft {
namespace algorithms::detail {

/// Three reversals: no memory, and every element stays in the range whatever throws.
template <class How, class It>
void rotate_by_reversals(const How& how, It first, std::size_t m, std::size_t n) {
  static constinit cost_record costs;
  reverse_indexed(how, first, m, costs);
  reverse_indexed(how, at(first, m), n - m, costs);
  reverse_indexed(how, first, n, costs);
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
      if constexpr (copies_bytes<It, It>) {
        constexpr std::size_t too_few = (std::size_t{64} << 10U) / element_bytes<It>;
        if (n < too_few) {
          rotate_few(std::to_address(first), m, n);
        } else {
          rotate_bytes(how, std::to_address(first), m, n);
        }
      } else {
        rotate_by_reversals(how, first, m, n);
      }
      return at(first, n - m);
    } else {
      return std::rotate(first, middle, last);
    }
  }
};

/// out[i] = in[i] for i in [places.first, places.second).
template <class In, class Out>
inline void copy_places(In in, Out out, std::pair<std::size_t, std::size_t> places, bool streams) {
  const auto [from, to] = places;
  if constexpr (copies_bytes<In, Out>) {
    copy_elements(std::to_address(out) + from, std::to_address(in) + from, to - from, streams);
  } else {
    std::copy(at(in, from), at(in, to), at(out, from));
  }
}

struct rotate_copy_call {
  template <class How, class In, class Out>
  static Out run(const How& how, In first, In middle, In last, Out out) {
    if constexpr (How::is_parallel && indexable<In> && indexable_output<Out>) {
      static constinit cost_record costs;
      const std::size_t n = count_of(first, last);
      const std::size_t r = count_of(middle, last);
      constexpr std::size_t bytes = element_bytes<In> + element_bytes<Out>;
      const bool streams = should_stream(n * bytes);
      const loop_shape shape{n, bytes, elements_per_line<std::iter_value_t<Out>>};
      for_chunks(how, shape, costs, [=](std::size_t from, std::size_t to) {
        if (from < r) {
          copy_places(middle, out, {from, std::min(to, r)}, streams);
        }
        if (to > r) {
          copy_places(first, at(out, r), {std::max(from, r) - r, to - r}, streams);
        }
      });
      return at(out, n);
    } else {
      return std::rotate_copy(first, middle, last, out);
    }
  }
};

}  // namespace algorithms::detail

/// Exchanges [first, middle) and [middle, last), keeping the order inside both, and returns where
/// the element of `first` is now.
///
/// Cost:    trivially copyable elements side by side: each is read and written about once, at worst
///          twice, with a quarter MiB of memory or less. Others: n swaps by three reversals.
/// Threads: any; see the policy. With forward iterators the calling thread works alone.
/// Errors:  the first exception is rethrown; the order is then unspecified.
/// Example: tests/algorithms/permute_test.cpp: rotates_as_std_does.
template <execution_policy Policy, algorithms::detail::multipass_iterator It>
  requires std::indirectly_swappable<It>
auto rotate(Policy&& policy, It first, It middle, It last) -> algorithm_result_t<Policy, It> {
  return algorithms::detail::launch<algorithms::detail::rotate_call>(policy, first, middle, last);
}

/// Copies [middle, last) and then [first, middle) to `out` and returns the end.
///
/// Shape:   the ranges do not overlap.
/// Cost:    n assignments; reads and writes every element once; non-temporal stores if the output
///          exceeds the caches and elements are trivially copyable; no memory.
/// Threads: any; see the policy. With forward iterators the calling thread works alone.
/// Errors:  the first exception is rethrown; which elements were written is then unspecified.
/// Example: tests/algorithms/permute_test.cpp: rotates_as_std_does.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator In,
          std::forward_iterator Out>
auto rotate_copy(Policy&& policy, In first, In middle, In last, Out out)
    -> algorithm_result_t<Policy, Out> {
  return algorithms::detail::launch<algorithms::detail::rotate_copy_call>(
      policy, first, middle, last, out);
}

}  // namespace weft
