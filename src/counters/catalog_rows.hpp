// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The catalog with what users need not see: how each counter is obtained.
#pragma once

#include <span>
#include <variant>

#include <sys/resource.h>

#include "weft/counters/catalog.hpp"

namespace weft::counters::detail {

/// Obtained from getrusage: one field, converted to the row's unit.
struct usage_recipe {
  double (*value)(const rusage& usage);
};

using recipe = std::variant<usage_recipe>;

struct catalog_row {
  counter_info info;
  recipe how;
};

[[nodiscard]] std::span<const catalog_row> catalog_rows() noexcept;

}  // namespace weft::counters::detail
