// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts how many elements fall into each of many bins.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/memory/scratch.hpp"
#include "weft/algorithms/detail/reducing/bin_counts.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"
#include "weft/tasks/mutex.hpp"

namespace weft {

namespace algorithms::detail {

/// Refers to numbers that one can be added to.
template <class It>
concept counts_iterator = std::random_access_iterator<It> && requires(It& counts) {
  *counts = static_cast<std::iter_value_t<It>>(*counts + 1);
};

/// Adds to `counts` the elements of [first, last) that are in a bin.
template <class It, class Bins, class Counts>
void count_bins(It first, It last, const Bins& bins_in, std::size_t num_bins, Counts counts) {
  const Bins bin_of = bins_in;  // which no count that is written can change
  for (; first != last; ++first) {
    const std::size_t bin = bin_of(*first);
    if (bin < num_bins) {
      auto&& place = *advanced(counts, bin);
      place = static_cast<std::iter_value_t<Counts>>(place + 1);
    }
  }
}

struct histogram_call {
  template <class How, class It, class Bins, class Out>
  static Out run(const How& how,
                 const std::pair<It, It>& range,
                 std::pair<Bins, std::size_t> bins,
                 Out out) {
    const auto n = static_cast<std::size_t>(range.second - range.first);
    if (bins.second != 0) {
      if (bins.second <= bin_counts::most_bins && n <= UINT32_MAX) {
        count_few(how, range.first, n, bins, out);
      } else {
        count_many(how, range.first, n, bins, out);
      }
    }
    return advanced(out, bins.second);
  }

 private:
  static constexpr std::size_t least_chunk = 1U << 11U;
  static constexpr std::size_t most_chunk = 1U << 13U;

  /// Whether helping workers with tables of their own pay for `rest` elements.
  template <class How>
  [[nodiscard]] static bool pays(const How& how, std::size_t rest, std::size_t num_bins) {
    return num_bins <= rest / (2 * num_shares(how));
  }

  /// Each counts for itself, and adds that to what is there at the end.
  template <class How, class It, class Bins, class Out>
  static void count_few(
      const How& how, It first, std::size_t n, const std::pair<Bins, std::size_t>& bins, Out out) {
    static constinit cost_record costs;
    const Bins& bin_of = bins.first;
    const std::size_t num_bins = bins.second;
    const loop_shape shape{n, sizeof(std::iter_value_t<It>)};
    bin_counts own(num_bins, n);
    const auto alone = [&first, &bin_of, &own](std::size_t from, std::size_t to) {
      own.count(bin_of, advanced(first, from), to - from);
    };
    std::size_t done = 0;
    if (!begins_together(how, shape, costs, num_bins)) {
      done = run_front(how, shape, costs, alone);
    }
    if (done != n && !pays(how, n - done, num_bins)) {
      alone(std::exchange(done, n), n);
    }
    if constexpr (How::is_parallel) {
      if (done != n) {
        std::fill_n(out, num_bins, std::iter_value_t<Out>{});
        count_by_all(how, rest_of<It>{first, done, n, costs}, bins, own, out);
        return;
      }
    }
    own.write_to(out);
  }

  /// Whether enough is known to do without a front.
  template <class How>
  [[nodiscard]] static bool begins_together(const How& how,
                                            const loop_shape& shape,
                                            const cost_record& costs,
                                            std::size_t num_bins) {
    if constexpr (How::is_parallel && may_be_short<How>) {
      if (may_begin_together(how, shape, costs) && pays(how, shape.n, num_bins)) {
        let_go_untimed(untimed_ns);
        return true;
      }
    }
    return false;
  }

  /// Elements [done, n) from `first` on.
  template <class It>
  struct rest_of {
    It first;
    std::size_t done;
    std::size_t n;
    cost_record& costs;
  };

  /// Adds what is counted in `own`, and what all that come count of the rest, to `out`.
  template <class How, class It, class Bins, class Out>
  static void count_by_all(const How& how,
                           const rest_of<It>& rest,
                           const std::pair<Bins, std::size_t>& bins,
                           bin_counts& own,
                           Out out) {
    const std::size_t size = rest.n - rest.done;
    const std::size_t chunk = std::clamp<std::size_t>(size / 8, least_chunk, most_chunk);
    const std::size_t shares = std::min(num_shares(how), ceil_div(size, chunk));
    mutex lock;
    parted_claims claims(rest.done, rest.n, {.min_size = chunk}, shares);
    const tick_watch watch;
    const auto count_chunks = [&](std::size_t share, bin_counts& counts) {
      const std::size_t part = part_of(share, claims.num_parts());
      std::size_t num_counted = 0;
      while (const std::optional<tile> mine = claims.claim(part)) {
        counts.count(bins.first, advanced(rest.first, mine->first), mine->last - mine->first);
        num_counted += mine->last - mine->first;
      }
      if (share == 0 && num_counted != 0) {
        rest.costs.note_shared(num_counted, watch.elapsed_ns(ns_per_tick()));
      }
      const std::scoped_lock guard(lock);
      counts.add_to(out);
    };
    region(how, shares, [&](std::size_t share) {
      if (share == 0) {
        count_chunks(share, own);
      } else {
        bin_counts counts(bins.second, rest.n);
        count_chunks(share, counts);
      }
    });
  }

  /// The calling thread adds to `out`, each helping worker to a table in memory.
  template <class How, class It, class Bins, class Out>
  static void count_many(
      const How& how, It first, std::size_t n, const std::pair<Bins, std::size_t>& bins, Out out) {
    static constinit cost_record costs;
    const std::size_t num_bins = bins.second;
    std::fill_n(out, num_bins, std::iter_value_t<Out>{});
    const auto alone = [&first, &bins, &out](std::size_t from, std::size_t to) {
      count_bins(advanced(first, from), advanced(first, to), bins.first, bins.second, out);
    };
    const std::size_t done =
        run_front(how, loop_shape{n, sizeof(std::iter_value_t<It>)}, costs, alone);
    if constexpr (How::is_parallel) {
      if (done != n && (!pays(how, n - done, num_bins) ||
                        !together(how, advanced(first, done), n - done, bins, out))) {
        alone(done, n);
      }
    }
  }

  /// False: memory was short.
  template <class How, class It, class Bins, class Out>
  static bool together(
      const How& how, It first, std::size_t n, const std::pair<Bins, std::size_t>& bins, Out out) {
    constexpr std::size_t line = 16;  // counts, so that tables share no pair of cache lines
    const std::size_t num_bins = bins.second;
    const std::size_t shares = num_shares(how);
    const std::size_t stride = (num_bins + line - 1) / line * line;
    const scratch<std::uint64_t> tables(shares * stride);
    if (!tables) {
      return false;
    }
    std::uninitialized_fill_n(tables.data(), shares * stride, std::uint64_t{0});
    ordered_claims claims(n, most_chunk);
    const auto count_chunks = [&](auto counts) {
      while (const std::optional<tile> mine = claims.claim()) {
        const It end = advanced(first, mine->last);
        count_bins(advanced(first, mine->first), end, bins.first, num_bins, counts);
      }
    };
    region(how, std::min(shares, claims.num_tiles()), [&](std::size_t share) {
      if (share == 0) {
        count_chunks(out);
      } else {
        count_chunks(tables.data() + share * stride);
      }
    });
    using count = std::iter_value_t<Out>;
    for (std::size_t bin = 0; bin < num_bins; ++bin) {
      auto&& place = *advanced(out, bin);
      for (std::size_t share = 1; share < shares; ++share) {
        place = static_cast<count>(place + static_cast<count>(tables.data()[share * stride + bin]));
      }
    }
    return true;
  }
};

}  // namespace algorithms::detail

/// Counts the elements of [first, last) in `num_bins` bins of equal width that divide [low, high).
///
/// Writes the counts to `out` and returns their end. Elements outside [low, high) are not counted.
///
/// Shape:   0 < num_bins; low < high; exact for integers whose distances from `low`, and those
///          times `num_bins`, are at most 2^53.
/// Cost:    n; 10 KiB of each worker's stack for up to 1024 bins, else `num_bins` counts of memory
///          for each worker where others help.
/// Errors:  what reading an element throws; short of memory the caller counts alone.
/// Example: tests/algorithms/selection_test.cpp: counts_what_falls_into_each_bin.
template <execution_policy Policy,
          std::random_access_iterator It,
          std::integral Size,
          class Bound,
          algorithms::detail::counts_iterator Out>
  requires std::is_arithmetic_v<std::iter_value_t<It>> && std::is_arithmetic_v<Bound>
algorithm_result_t<Policy, Out> histogram(Policy&& policy,
                                          It first,
                                          It last,
                                          Size num_bins,
                                          Bound low,
                                          std::type_identity_t<Bound> high,
                                          Out out) {
  const algorithms::detail::equal_bins bin_of(
      static_cast<double>(low), static_cast<double>(high), static_cast<double>(num_bins));
  return algorithms::detail::launch<algorithms::detail::histogram_call>(
      policy, std::pair(first, last), std::pair(bin_of, static_cast<std::size_t>(num_bins)), out);
}

/// As above for bins between neighbours a and b of the sorted range [bounds_first, bounds_last). An
/// element x is in that bin if a <= x < b.
///
/// Cost:    n log(number of bins).
/// Example: tests/algorithms/selection_test.cpp: counts_between_bounds.
template <execution_policy Policy,
          std::random_access_iterator It,
          std::random_access_iterator Bounds,
          algorithms::detail::counts_iterator Out>
  requires algorithms::detail::predicate_on<std::less<>, It, Bounds>
algorithm_result_t<Policy, Out> histogram(
    Policy&& policy, It first, It last, Bounds bounds_first, Bounds bounds_last, Out out) {
  const auto num_bounds = static_cast<std::size_t>(bounds_last - bounds_first);
  const algorithms::detail::bins_between<Bounds> bin_of{bounds_first, bounds_last};
  return algorithms::detail::launch<algorithms::detail::histogram_call>(
      policy,
      std::pair(first, last),
      std::pair(bin_of, num_bounds == 0 ? std::size_t{0} : num_bounds - 1),
      out);
}

}  // namespace weft
