// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The list of the families that every process has: one line per source of counters.
#include "counters/builtin_families.hpp"

#include <vector>

#include "weft/counters/registry.hpp"

#include "counters/algorithm_families.hpp"
#include "counters/derived_families.hpp"
#include "counters/machine_families.hpp"

namespace weft::counters::detail {

void add_builtin_families(registry& to, std::vector<registration>& kept) {
  add_statistics_families(to, kept);
  add_arithmetic_families(to, kept);
  add_algorithm_families(to, kept);
  add_machine_families(to, kept);
}

}  // namespace weft::counters::detail
