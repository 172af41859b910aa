// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts how many elements fall into each of many bins.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/engine.hpp"
#include "weft/algorithms/detail/scratch.hpp"
#include "weft/algorithms/detail/split.hpp"

namespace weft {

namespace algorithms::detail {

/// Bins of one width; an index of at least `num_bins` is that of no bin.
struct equal_bins {
  double low;
  double high;
  double num_bins;

  template <class T>
  [[nodiscard]] std::size_t operator()(const T& x) const {
    const auto value = static_cast<double>(x);
    if (!(value >= low && value < high)) {
      return SIZE_MAX;
    }
    const double place = (value - low) / (high - low) * num_bins;
    return static_cast<std::size_t>(std::min(place, num_bins - 1));  // if it was rounded up
  }
};

/// Bins between neighbours of a sorted range.
template <class It>
struct bins_between {
  It first;
  It last;

  template <class T>
  [[nodiscard]] std::size_t operator()(const T& x) const {
    const It after = std::upper_bound(first, last, x);
    return after == first || after == last ? SIZE_MAX : static_cast<std::size_t>(after - first) - 1;
  }
};

struct histogram_call {
  template <class How, class It, class Bins, class Out>
  static Out run(const How& how,
                 std::pair<It, It> range,
                 std::pair<Bins, std::size_t> bins,
                 Out out) {
    using count = std::iter_value_t<Out>;
    const auto n = static_cast<std::size_t>(range.second - range.first);
    const auto [bin_of, num_bins] = bins;
    std::fill_n(out, num_bins, count{});
    if constexpr (How::is_parallel) {
      constexpr std::size_t together_from = 1U << 14U;
      const std::size_t shares = num_shares(how);
      if (n >= together_from && shares > 1 && num_bins <= n / (2 * shares) &&
          together(how, range.first, n, bins, out)) {
        return advanced(out, num_bins);
      }
    }
    for (It it = range.first; it != range.second; ++it) {
      const std::size_t bin = bin_of(*it);
      if (bin < num_bins) {
        auto&& place = *advanced(out, bin);
        place = static_cast<count>(place + 1);
      }
    }
    return advanced(out, num_bins);
  }

 private:
  /// A table for each worker. False: memory was short.
  template <class How, class It, class Bins, class Out>
  static bool together(
      const How& how, It first, std::size_t n, const std::pair<Bins, std::size_t>& bins, Out out) {
    constexpr std::size_t chunk = 1U << 14U;
    constexpr std::size_t line = 16;  // counts, so that tables share no pair of cache lines
    const std::size_t num_bins = bins.second;
    const std::size_t shares = num_shares(how);
    const std::size_t stride = (num_bins + 1 + line) / line * line;
    const scratch<std::uint64_t> tables(shares * stride);
    if (!tables) {
      return false;
    }
    std::uninitialized_fill_n(tables.data(), shares * stride, std::uint64_t{0});
    ordered_claims claims(n, chunk);
    region(how, shares, [&](std::size_t share) {
      std::uint64_t* const counts = tables.data() + share * stride;
      const Bins bin_of = bins.first;
      while (const std::optional<tile> mine = claims.claim()) {
        It const last = advanced(first, mine->last);
        for (It it = advanced(first, mine->first); it != last; ++it) {
          ++counts[std::min(bin_of(*it), num_bins)];  // the last one: what is in no bin
        }
      }
    });
    using count = std::iter_value_t<Out>;
    for (std::size_t bin = 0; bin < num_bins; ++bin) {
      std::uint64_t sum = 0;
      for (std::size_t share = 0; share < shares; ++share) {
        sum += tables.data()[share * stride + bin];
      }
      *advanced(out, bin) = static_cast<count>(sum);
    }
    return true;
  }
};

}  // namespace algorithms::detail

/// Writes to `out` how many of [first, last) fall into each of `num_bins` bins of one width that
/// divide [low, high); returns the end of the counts. What lies outside is not counted.
///
/// Shape:   0 < num_bins; low < high; exact for integers up to 2^53.
/// Cost:    n; with a parallel policy `num_bins` counts of memory for each worker.
/// Errors:  what reading an element throws; short of memory the caller counts alone.
/// Example: tests/algorithms/selection_test.cpp: counts_what_falls_into_each_bin.
template <execution_policy Policy,
          std::random_access_iterator It,
          std::integral Size,
          class Bound,
          std::random_access_iterator Out>
  requires std::is_arithmetic_v<std::iter_value_t<It>> && std::is_arithmetic_v<Bound>
algorithm_result_t<Policy, Out> histogram(Policy&& policy,
                                          It first,
                                          It last,
                                          Size num_bins,
                                          Bound low,
                                          std::type_identity_t<Bound> high,
                                          Out out) {
  const algorithms::detail::equal_bins bin_of{
      static_cast<double>(low), static_cast<double>(high), static_cast<double>(num_bins)};
  return algorithms::detail::launch<algorithms::detail::histogram_call>(
      policy, std::pair(first, last), std::pair(bin_of, static_cast<std::size_t>(num_bins)), out);
}

/// As above for bins between neighbours of the sorted range [bounds_first, bounds_last): an element
/// x is in the bin of a and b if a <= x < b.
///
/// Cost:    n log(number of bins).
/// Example: tests/algorithms/selection_test.cpp: counts_between_bounds.
template <execution_policy Policy,
          std::random_access_iterator It,
          std::random_access_iterator Bounds,
          std::random_access_iterator Out>
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
