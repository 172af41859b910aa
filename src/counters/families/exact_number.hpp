// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic that keeps whole numbers exact while they fit, and values made from such numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "weft/counters/counter.hpp"

#include "counters/core/unavailable.hpp"  // IWYU pragma: export

namespace weft::counters::detail {

/// A whole number with all its digits, or a floating-point number.
using exact_number = std::variant<std::int64_t, double>;

[[nodiscard]] double as_double(exact_number number) noexcept;
[[nodiscard]] bool is_less(exact_number left, exact_number right) noexcept;

/// For whole numbers the results are whole, unless they exceed 64 bits.
[[nodiscard]] exact_number sum_of(exact_number left, exact_number right) noexcept;
[[nodiscard]] exact_number difference_of(exact_number left, exact_number right) noexcept;
[[nodiscard]] exact_number product_of(exact_number left, exact_number right) noexcept;

/// Returns the median: the middle number, or half the sum of the two middle ones. No number may be
/// missing.
[[nodiscard]] exact_number median_of(std::vector<exact_number> numbers);

/// Mean and variance of numbers that are added one by one.
///
/// Source: Welford, "Note on a Method for Calculating Corrected Sums of Squares and Products",
///         Technometrics 4 (3), 1962.
class running_moments {
 public:
  void add(double number) noexcept;
  [[nodiscard]] double mean() const noexcept { return mean_; }
  /// The mean square of the differences from the mean: of these numbers, not of their population.
  [[nodiscard]] double variance() const noexcept;

 private:
  std::uint64_t num_ = 0;
  double mean_ = 0;
  double sum_of_squares_ = 0;  // of the differences from the mean
};

[[nodiscard]] running_moments moments_of(std::span<const exact_number> numbers) noexcept;

/// Returns the value if it is a number.
[[nodiscard]] std::optional<exact_number> number_in(const counter_value& value);

/// Returns the value `number`; unavailable if it is not finite, for example after an overflow.
[[nodiscard]] counter_value value_of(exact_number number,
                                     std::optional<sampling> sampled = std::nullopt);

}  // namespace weft::counters::detail
