// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stands in for the hwloc reader where weft is built without hwloc.
#include <optional>

#include "base/machine_parts.hpp"

namespace weft::detail {

std::optional<machine_parts> read_hwloc_parts() { return std::nullopt; }

}  // namespace weft::detail
