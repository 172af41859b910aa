// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters of energy and power of the processor packages: /energy and /runtime/average_power.
#pragma once

#include <filesystem>
#include <vector>

#include "weft/counters/registry.hpp"

namespace weft::counters::detail {

/// `root` is the folder that contains sys/. The meters count all programs that run on a package.
[[nodiscard]] std::vector<counter_family> energy_families(const std::filesystem::path& root);

}  // namespace weft::counters::detail
