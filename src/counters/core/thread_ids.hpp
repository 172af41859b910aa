// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads of this process.
#pragma once

#include <filesystem>
#include <vector>

namespace weft::counters::detail {

/// Returns the kernel's ids of the threads that exist now, ascending; none if /proc cannot be read.
[[nodiscard]] std::vector<int> thread_ids(const std::filesystem::path& root);

}  // namespace weft::counters::detail
