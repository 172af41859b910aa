// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether all elements that pass a predicate come before all that do not.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/loops/find_chunk.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"
#include "weft/algorithms/find.hpp"

namespace weft {

namespace algorithms::detail {

/// What all have seen of a range: it is partitioned unless an element that passes lies behind one
/// that does not.
class partition_border {
 public:
  /// Looks at [begin, end); returns where it stopped, which is before `end` if the range is known
  /// to be wrong.
  template <class It, class Predicate>
  [[nodiscard]] std::size_t look_at(It first,
                                    std::size_t begin,
                                    std::size_t end,
                                    Predicate& passes) {
    std::size_t border = begin;  // behind the first that fails only one that passes is of interest
    if (begin < first_failing_.load(std::memory_order_relaxed)) {
      const negated<Predicate> fails{passes};
      border = first_passing(first, begin, end, fails);
      if (border != begin) {
        raise_end_of_passing(border);
      }
      if (border != end) {
        lower_first_failing(border);
        ++border;
      }
    }
    const std::size_t found = first_passing(first, border, end, passes);
    if (found != end) {
      raise_end_of_passing(found + 1);
    }
    if (!is_wrong()) {
      return end;
    }
    return found != end ? found : end - 1;
  }

  /// Two chunks may both be partitioned although the range is not; only the end of both shows that.
  [[nodiscard]] bool is_wrong() const noexcept {
    return first_failing_.load(std::memory_order_relaxed) <
           end_of_passing_.load(std::memory_order_relaxed);
  }

 private:
  void raise_end_of_passing(std::size_t end) noexcept {
    std::size_t known = end_of_passing_.load(std::memory_order_relaxed);
    while (known < end &&
           !end_of_passing_.compare_exchange_weak(known, end, std::memory_order_relaxed)) {
    }
  }
  void lower_first_failing(std::size_t at) noexcept {
    std::size_t known = first_failing_.load(std::memory_order_relaxed);
    while (at < known &&
           !first_failing_.compare_exchange_weak(known, at, std::memory_order_relaxed)) {
    }
  }

  // relaxed: only numbers; region() orders the rest
  std::atomic<std::size_t> first_failing_{std::numeric_limits<std::size_t>::max()};
  std::atomic<std::size_t> end_of_passing_{0};
};

struct is_partitioned_call {
  template <class How, class It, class Predicate>
  [[gnu::always_inline]] static bool run(const How& how, It first, It last, Predicate&& passes) {
    if constexpr (is_shared<How, It>) {
      static constinit cost_record costs;
      const std::size_t n = size_between(first, last);
      constexpr std::size_t few = 128;  // are sooner looked at one by one
      if (n <= few && may_be_short<How> && costs.is_short(n)) {
        return std::is_partitioned(first, last, reference_to<Predicate>{passes});
      }
      partition_border border;
      (void)find_chunk<wanted_hit::any>(
          how,
          {.n = n, .bytes_per_element = bytes_of<It>},
          costs,
          [first, &border, &passes](std::size_t begin, std::size_t end) {
            return border.look_at(first, begin, end, passes);
          });
      return !border.is_wrong();
    } else {
      const It border = find_if_call::run(how, first, last, negated<Predicate>{passes});
      return border == last || find_if_call::run(how, std::next(border), last, passes) == last;
    }
  }
};

}  // namespace algorithms::detail

/// Whether no element of [first, last) that passes comes behind one that does not.
///
/// Cost:    one call per element at most; the search stops at the first contradiction found. With
///          contiguous numbers a few dozen near the border are tested twice. No allocation.
/// Threads: with a parallel policy `passes` is called from several at once.
/// Errors:  the first exception that `passes` throws.
/// Example: tests/algorithms/find_test.cpp: partitions_are_recognised.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          algorithms::detail::predicate_on<It> Predicate>
[[gnu::always_inline]] inline algorithm_result_t<Policy, bool> is_partitioned(Policy&& policy,
                                                                              It first,
                                                                              It last,
                                                                              Predicate passes) {
  return algorithms::detail::launch<algorithms::detail::is_partitioned_call>(
      policy, first, last, std::move(passes));
}

}  // namespace weft
