// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which bin of a histogram an element is in, and counts of few bins in tables of a worker's own.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/loops/map.hpp"

namespace weft::algorithms::detail {

/// Bins of one width.
struct equal_bins {
  double low;
  double high;
  double num_bins;
  double bins_per_unit;  // if that is a power of two, else 0: no rounding, and no division

  equal_bins(double from, double to, double count) noexcept
      : low(from), high(to), num_bins(count), bins_per_unit(0) {
    constexpr std::uint64_t fraction_bits = (std::uint64_t{1} << 52U) - 1;
    const double ratio = count / (to - from);
    if (ratio * (to - from) == count && ratio > 0 &&
        (std::bit_cast<std::uint64_t>(ratio) & fraction_bits) == 0) {
      bins_per_unit = ratio;
    }
  }

  /// The number of the bin; `num_bins` or more: in none.
  template <class T>
  [[nodiscard]] std::size_t operator()(const T& x) const {
    return static_cast<std::size_t>(bins_per_unit != 0 ? number<true, std::int64_t>(x, num_bins)
                                                       : number<false, std::int64_t>(x, num_bins));
  }

  /// numbers[i] = that of the bin of first[i] for i in [0, n), or `limit`, less than 2^31, if that
  /// is less.
  template <class It>
  void write_numbers(const It& first,
                     std::size_t n,
                     std::uint32_t* numbers,
                     std::uint32_t limit) const {
    if (bins_per_unit != 0) {
      write_all<true>(first, n, numbers, limit);
    } else {
      write_all<false>(first, n, numbers, limit);
    }
  }

 private:
  /// `limit` if that is less, or in none. By a signed number, since the conversion to one is one
  /// instruction; without a branch, since what is in no bin may be anywhere.
  template <bool multiplies, class Signed, class T>
  [[nodiscard]] [[gnu::always_inline]] Signed number(const T& x, double limit) const {
    const auto value = static_cast<double>(x);
    const double place =
        multiplies ? (value - low) * bins_per_unit : (value - low) * num_bins / (high - low);
    const double last = std::min(num_bins - 1, limit);
    const double not_behind = place < last ? place : last;  // it may have been rounded up
    const bool is_inside =
        static_cast<bool>(static_cast<int>(value >= low) & static_cast<int>(value < high));
    return static_cast<Signed>(is_inside ? not_behind : limit);
  }

  template <bool multiplies, class It>
  void write_all(const It& first,
                 std::size_t n,
                 std::uint32_t* numbers,
                 std::uint32_t limit) const {
    const auto in = unwrapped(first);
    const auto most = static_cast<double>(limit);
    write_block(numbers, 0, n, [in, bins = *this, most](std::size_t i) {
      return bins.template number<multiplies, std::int32_t>(element(in, i), most);
    });
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

  template <class From>
  void write_numbers(const From& from,
                     std::size_t n,
                     std::uint32_t* numbers,
                     std::uint32_t limit) const {
    for (std::size_t i = 0; i < n; ++i) {
      numbers[i] =
          static_cast<std::uint32_t>(std::min<std::size_t>((*this)(element(from, i)), limit));
    }
  }
};

/// Counters of one worker for few bins, on its stack.
///
/// The numbers of some bins are computed first, which vectorises, and then counted without a
/// branch: one counter more takes what is in no bin. Where there are many elements for each bin,
/// neighbours are counted in different tables, since equal ones would have to wait for each other.
/// Shape:   of less than 2^32 elements.
class bin_counts {
 public:
  static constexpr std::size_t most_bins = 1024;

  /// For about `n` elements.
  bin_counts(std::size_t num_bins, std::size_t n) noexcept  // NOLINT: as many as there are
      : num_bins_(num_bins),
        stride_(num_bins < num_counters / num_tables && n / elements_per_bin >= num_bins
                    ? num_bins + 1
                    : 0) {
    std::fill_n(counters_.begin(), (stride_ == 0 ? 1 : num_tables) * (num_bins_ + 1), 0U);
  }

  /// Counts first[i] for i in [0, n).
  template <class Bins, class It>
  [[gnu::noinline]] void count(const Bins& bins, const It& first, std::size_t n) {
    std::array<std::uint32_t, at_once> numbers;  // NOLINT: filled before it is read
    for (std::size_t done = 0; done != n;) {
      const std::size_t some = std::min(at_once, n - done);
      bins.write_numbers(advanced(first, done),
                         some,
                         numbers.data(),
                         static_cast<std::uint32_t>(num_bins_));  // there may be more bins
      count_numbers(numbers.data(), some);
      done += some;
    }
  }

  /// out[bin] = its count.
  template <class Out>
  void write_to(const Out& out) const {
    using number = std::iter_value_t<Out>;
    if (stride_ == 0) {
      std::transform(counters_.data(), counters_.data() + num_bins_, out, [](std::uint32_t count) {
        return static_cast<number>(count);
      });
      return;
    }
    for (std::size_t bin = 0; bin < num_bins_; ++bin) {
      *advanced(out, bin) = static_cast<number>(sum(bin));
    }
  }
  /// out[bin] += its count.
  template <class Out>
  void add_to(const Out& out) const {
    using number = std::iter_value_t<Out>;
    for (std::size_t bin = 0; bin < num_bins_; ++bin) {
      auto&& place = *advanced(out, bin);
      place = static_cast<number>(place + static_cast<number>(sum(bin)));
    }
  }

 private:
  static constexpr std::size_t at_once = 128;
  static constexpr std::size_t num_counters = 2 * most_bins;
  static constexpr std::size_t num_tables = 4;
  static constexpr std::size_t elements_per_bin = 128;  // that pay for more than one table

  void count_numbers(const std::uint32_t* numbers, std::size_t n) noexcept {
    std::uint32_t* const first = counters_.data();
    std::uint32_t* const second = first + stride_;
    std::uint32_t* const third = second + stride_;
    std::uint32_t* const fourth = third + stride_;
    std::size_t i = 0;
    for (; n - i >= num_tables; i += num_tables) {
      const std::uint32_t a = numbers[i];
      const std::uint32_t b = numbers[i + 1];
      const std::uint32_t c = numbers[i + 2];
      const std::uint32_t d = numbers[i + 3];
      ++first[a];
      ++second[b];
      ++third[c];
      ++fourth[d];
    }
    for (; i < n; ++i) {
      ++first[numbers[i]];
    }
  }

  [[nodiscard]] std::uint32_t sum(std::size_t bin) const noexcept {
    const std::uint32_t* const counter = counters_.data() + bin;
    return stride_ == 0
               ? *counter
               : counter[0] + counter[stride_] + counter[2 * stride_] + counter[3 * stride_];
  }

  std::size_t num_bins_;
  std::size_t stride_;                                // of the tables; 0: there is one
  std::array<std::uint32_t, num_counters> counters_;  // those that are not used are not set
};

}  // namespace weft::algorithms::detail
