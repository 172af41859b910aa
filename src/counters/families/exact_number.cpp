// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic that keeps whole numbers exact while they fit, and values made from such numbers.
#include "counters/families/exact_number.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "weft/counters/counter.hpp"

namespace weft::counters::detail {
namespace {

/// Returns `whole` applied to two whole numbers unless that overflows, otherwise `real`.
template <class Whole, class Real>
exact_number combine(exact_number left, exact_number right, Whole whole, Real real) noexcept {
  const auto* const first = std::get_if<std::int64_t>(&left);
  const auto* const second = std::get_if<std::int64_t>(&right);
  std::int64_t result = 0;
  if (first != nullptr && second != nullptr && !whole(*first, *second, result)) {
    return result;
  }
  return real(as_double(left), as_double(right));
}

}  // namespace

double as_double(exact_number number) noexcept {
  const auto* const whole = std::get_if<std::int64_t>(&number);
  return whole != nullptr ? static_cast<double>(*whole) : *std::get_if<double>(&number);
}

bool is_less(exact_number left, exact_number right) noexcept {
  const auto* const first = std::get_if<std::int64_t>(&left);
  const auto* const second = std::get_if<std::int64_t>(&right);
  return first != nullptr && second != nullptr ? *first < *second
                                               : as_double(left) < as_double(right);
}

exact_number sum_of(exact_number left, exact_number right) noexcept {
  return combine(
      left,
      right,
      [](std::int64_t a, std::int64_t b, std::int64_t& to) {
        return __builtin_add_overflow(a, b, &to);
      },
      std::plus<>());
}

exact_number difference_of(exact_number left, exact_number right) noexcept {
  return combine(
      left,
      right,
      [](std::int64_t a, std::int64_t b, std::int64_t& to) {
        return __builtin_sub_overflow(a, b, &to);
      },
      std::minus<>());
}

exact_number product_of(exact_number left, exact_number right) noexcept {
  return combine(
      left,
      right,
      [](std::int64_t a, std::int64_t b, std::int64_t& to) {
        return __builtin_mul_overflow(a, b, &to);
      },
      std::multiplies<>());
}

exact_number median_of(std::vector<exact_number> numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::ranges::nth_element(numbers, middle, is_less);
  if (numbers.size() % 2 != 0) {
    return *middle;
  }
  const exact_number below = *std::max_element(numbers.begin(), middle, is_less);
  const exact_number sum = sum_of(below, *middle);
  const auto* const whole = std::get_if<std::int64_t>(&sum);
  return whole != nullptr && *whole % 2 == 0 ? exact_number(*whole / 2) : as_double(sum) / 2;
}

void running_moments::add(double number) noexcept {
  ++num_;
  const double difference = number - mean_;
  mean_ += difference / static_cast<double>(num_);
  sum_of_squares_ += difference * (number - mean_);
}

double running_moments::variance() const noexcept {
  return num_ > 0 ? sum_of_squares_ / static_cast<double>(num_) : 0;
}

running_moments moments_of(std::span<const exact_number> numbers) noexcept {
  running_moments moments;
  for (const exact_number number : numbers) {
    moments.add(as_double(number));
  }
  return moments;
}

std::optional<exact_number> number_in(const counter_value& value) {
  if (!value.value) {
    return std::nullopt;
  }
  if (const auto* whole = std::get_if<std::int64_t>(&*value.value)) {
    return *whole;
  }
  const auto* real = std::get_if<double>(&*value.value);
  return real != nullptr ? std::optional<exact_number>(*real) : std::nullopt;
}

counter_value value_of(exact_number number, std::optional<sampling> sampled) {
  if (!std::isfinite(as_double(number))) {
    return unavailable("its value is " + std::to_string(as_double(number)) +
                       ", which is not a finite number");
  }
  counter_value value{.value = std::nullopt, .reason = {}, .sampled = sampled};
  std::visit([&](auto each) { value.value = each; }, number);
  return value;
}

}  // namespace weft::counters::detail
