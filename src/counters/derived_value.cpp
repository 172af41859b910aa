// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What counters made of others take from values, and give as values.
#include "counters/derived_value.hpp"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "weft/counters/counter.hpp"

#include "counters/exact_number.hpp"

namespace weft::counters::detail {

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
