// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What counters made of others take from values, and give as values.
#pragma once

#include <optional>
#include <string>

#include "weft/counters/counter.hpp"

#include "counters/exact_number.hpp"
#include "counters/unavailable.hpp"  // IWYU pragma: export

namespace weft::counters::detail {

/// Returns the value if it is a number.
[[nodiscard]] std::optional<exact_number> number_in(const counter_value& value);

/// Returns the value `number`; unavailable if it is not finite, as it is not with too large ones.
[[nodiscard]] counter_value value_of(exact_number number,
                                     std::optional<sampling> sampled = std::nullopt);

}  // namespace weft::counters::detail
