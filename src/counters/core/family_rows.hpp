// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions for families whose counters are rows of a table.
#pragma once

#include <string>

#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"

namespace weft::counters::detail {

/// Returns the type that a row describes, which has `name`, `unit`, `help` and `kind`.
template <class Row>
[[nodiscard]] counter_type type_of_row(const Row& row) {
  return {.name = std::string(row.name),
          .unit = std::string(row.unit),
          .help = std::string(row.help),
          .kind = row.kind};
}

/// Returns the instance `{locality#N/total}` of this process of a type.
[[nodiscard]] counter_name total_of(const counter_type& type);

/// Returns the instance `{locality#N/CHILD}` of this process of a type.
[[nodiscard]] counter_name instance_of(const counter_type& type, instance_part child);

/// Errors: `weft::error` if `name` has parameters.
void refuse_parameters(const counter_name& name);

}  // namespace weft::counters::detail
