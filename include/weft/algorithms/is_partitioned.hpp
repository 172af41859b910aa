// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether all elements that pass a predicate come before all that do not.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "weft/algorithms/detail/callables.hpp"
#include "weft/algorithms/detail/engine.hpp"
#include "weft/algorithms/detail/index.hpp"
#include "weft/algorithms/find.hpp"

namespace weft {

namespace algorithms::detail {

/// What has been seen of a range from its front on.
struct partition_so_far {
  bool is_behind = false;  // an element that does not pass has been seen
  bool is_wrong = false;   // and behind it one that passes

  /// Looks at [begin, end) too; returns where it stopped: `end`, unless the range is wrong.
  template <class It, class Predicate>
  [[nodiscard]] std::size_t look_at(It first,
                                    std::size_t begin,
                                    std::size_t end,
                                    Predicate& passes) {
    if (!is_behind) {
      const negated<Predicate> fails{passes};
      begin = first_passing(first, begin, end, fails);
      is_behind = begin != end;
      begin += is_behind ? 1 : 0;  // every element is looked at once
    }
    const std::size_t found = first_passing(first, begin, end, passes);
    is_wrong = found != end;
    return found;
  }
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
      partition_so_far seen;
      const std::size_t done =
          run_front(how,
                    {.n = n, .bytes_per_element = bytes_of<It>},
                    costs,
                    [first, &seen, &passes](std::size_t begin, std::size_t end) {
                      return seen.look_at(first, begin, end, passes);
                    });
      if (done == n) {
        return !seen.is_wrong;
      }
      first = iterator_at(first, done);
      if (!seen.is_behind) {
        first = find_if_call::run(how, first, last, negated<Predicate>{passes});
        if (first == last) {
          return true;
        }
        ++first;
      }
      return !any_if_call::run(how, first, last, passes);
    } else {
      const It border = find_if_call::run(how, first, last, negated<Predicate>{passes});
      return border == last || find_if_call::run(how, std::next(border), last, passes) == last;
    }
  }
};

}  // namespace algorithms::detail

/// Whether no element of [first, last) that passes comes behind one that does not.
///
/// Cost:    each element is looked at once, up to the first that proves the opposite; no
/// allocation. Threads: with a parallel policy `passes` is called from several at once. Errors: the
/// first exception that `passes` throws. Example: tests/algorithms/compare_test.cpp:
/// partitions_are_recognised.
template <execution_policy Policy,
          std::forward_iterator It,
          algorithms::detail::predicate_on<It> Predicate>
[[gnu::always_inline]] inline algorithm_result_t<Policy, bool> is_partitioned(Policy&& policy,
                                                                              It first,
                                                                              It last,
                                                                              Predicate passes) {
  return algorithms::detail::launch<algorithms::detail::is_partitioned_call>(
      policy, first, last, std::move(passes));
}

}  // namespace weft
