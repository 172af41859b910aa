// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies the elements that a predicate accepts.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/scanning/compaction_works.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"

namespace weft {

namespace algorithms::detail {

struct copy_if_call {
  template <class How, class It, class Out, class Predicate>
  [[gnu::always_inline]] static Out run(
      const How& how, It first, It last, Out out, Predicate&& predicate) {
    if constexpr (How::is_parallel && indexed_iterator<It> && separate_outputs<Out>) {
      return copy_where(how, first, last, out, [&predicate](const It& it) -> bool {
        return static_cast<bool>(predicate(*it));
      });
    } else {
      return std::copy_if(first, last, out, std::ref(predicate));
    }
  }
};

}  // namespace algorithms::detail

/// Copies the elements of [first, last) that `predicate` accepts to `out`, in the same sequence;
/// returns the end of the copies.
///
/// Each tile finds the elements to keep, receives its output position from the tiles in front, and
/// copies them, in one pass. With iterators that are not random-access the calling thread works
/// alone.
/// Shape:   `out` has room for what is copied, and does not overlap [first, last).
/// Cost:    exactly n applications of `predicate`; reads n elements and writes those copied, once.
///          64 bytes for each tile of some 64 KiB if others help; without that memory, they do not.
/// Threads: with a parallel policy `predicate` is called from several at once.
/// Errors:  the first exception of `predicate` or a copy; `out` then holds some of the copies.
/// Source:  Merrill, Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016.
/// Example: tests/algorithms/compaction_test.cpp: copy_if_is_what_the_standard_does.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          std::forward_iterator Out,
          algorithms::detail::predicate_on<It> Predicate>
[[gnu::always_inline]] inline algorithm_result_t<Policy, Out> copy_if(
    Policy&& policy, It first, It last, Out out, Predicate predicate) {
  return algorithms::detail::launch<algorithms::detail::copy_if_call>(
      policy, first, last, out, std::move(predicate));
}

}  // namespace weft
