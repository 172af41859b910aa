// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// shift_left and shift_right with an execution policy.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <vector>

#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/calls/launch.hpp"
#include "weft/algorithms/detail/loops/displace.hpp"
#include "weft/algorithms/detail/loops/map.hpp"
#include "weft/algorithms/policy.hpp"

namespace weft {
namespace algorithms::detail {

struct shift_left_call {
  template <class How, class It>
  static It run(const How& how, It first, It last, std::iter_difference_t<It> places) {
    if constexpr (How::is_parallel && indexable_output<It>) {
      if (places <= 0) {
        return last;
      }
      if (places >= last - first) {
        return first;
      }
      const std::size_t n = count_of(first, last);
      displace<toward::front>(how, first, n, static_cast<std::size_t>(places));
      return last - places;
    } else {
      return std::shift_left(first, last, places);
    }
  }
};

struct shift_right_call {
  template <class How, class It>
  static It run(const How& how, It first, It last, std::iter_difference_t<It> places) {
    if constexpr (How::is_parallel && indexable_output<It>) {
      if (places <= 0) {
        return first;
      }
      if (places >= last - first) {
        return last;
      }
      const std::size_t n = count_of(first, last);
      displace<toward::back>(how, first, n, static_cast<std::size_t>(places));
      return first + places;
    } else {
      return std::shift_right(first, last, places);
    }
  }
};

}  // namespace algorithms::detail

/// Moves every element of [first, last) `places` towards the front.
///
/// Returns the end of the remaining elements: `last` if `places` is not positive, `first` if none
/// remains.
///
/// Cost:    one move per element; reads and writes every element once. Memory for up to an eighth
///          of the range if `places` is small; if there is none, one worker does the work.
/// Threads: any; see the policy. With forward iterators the calling thread works alone.
/// Errors:  the first exception is rethrown; the elements are then unspecified.
/// Example: tests/algorithms/permute_test.cpp: shifts_as_std_does.
template <execution_policy Policy, algorithms::detail::multipass_iterator It>
  requires algorithms::detail::moves_within<It>
auto shift_left(Policy&& policy, It first, It last, std::iter_difference_t<It> places)
    -> algorithm_result_t<Policy, It> {
  return algorithms::detail::launch<algorithms::detail::shift_left_call>(
      policy, first, last, places);
}

/// Moves every element of [first, last) `places` towards the back.
///
/// Returns the beginning of the remaining elements: `first` if `places` is not positive, `last` if
/// none remains. See shift_left.
template <execution_policy Policy, algorithms::detail::multipass_iterator It>
  requires algorithms::detail::moves_within<It>
auto shift_right(Policy&& policy, It first, It last, std::iter_difference_t<It> places)
    -> algorithm_result_t<Policy, It> {
  return algorithms::detail::launch<algorithms::detail::shift_right_call>(
      policy, first, last, places);
}

}  // namespace weft
