// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions for families whose counters are rows of a table.
#include "counters/core/family_rows.hpp"

#include <utility>

#include "weft/base/error.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"

#include "counters/core/localities.hpp"

namespace weft::counters::detail {

counter_name total_of(const counter_type& type) { return complete(parse_counter_name(type.name)); }

counter_name instance_of(const counter_type& type, instance_part child) {
  counter_name name = parse_counter_name(type.name);
  name.instance = {own_locality_part(), std::move(child)};
  return name;
}

void refuse_parameters(const counter_name& name) {
  if (!name.parameters.empty()) {
    throw error("counter " + type_name(name) + " takes no parameters; leave out \"@" +
                name.parameters + '"');
  }
}

}  // namespace weft::counters::detail
