// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters of the process that every Linux kernel keeps: /runtime and /os.
#pragma once

#include <filesystem>
#include <vector>

#include "weft/counters/registry.hpp"

namespace weft::counters::detail {

/// `root` is the folder that holds proc/. Reading costs one small file per kind of number.
///
/// Source: proc(5), getrusage(2), Documentation/accounting/psi.rst; names and units of /runtime:
///         HPX manual, "Performance counters".
[[nodiscard]] std::vector<counter_family> proc_families(const std::filesystem::path& root);

}  // namespace weft::counters::detail
