// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces the hwloc reader if weft is built without hwloc.
#include <optional>

#include "base/machine_parts.hpp"

namespace weft::detail {

std::optional<machine_parts> read_hwloc_parts() { return std::nullopt; }

}  // namespace weft::detail
