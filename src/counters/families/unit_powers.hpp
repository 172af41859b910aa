// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Units of products and quotients, such as "bytes/ns" or "ns^2".
#pragma once

#include <span>
#include <string>

namespace weft::counters::detail {

/// Returns the unit of the product of values with `units`. Plain counts have no unit.
[[nodiscard]] std::string product_unit(std::span<const std::string> units);

/// Returns the unit of the first value divided by all others; empty if the units cancel.
[[nodiscard]] std::string quotient_unit(std::span<const std::string> units);

}  // namespace weft::counters::detail
