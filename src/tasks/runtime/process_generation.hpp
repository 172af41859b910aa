// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells a process from its forks, which inherit a runtime's memory but none of its threads.
#pragma once

#include <cstdint>

namespace weft::tasks::detail {

/// How many forks lie between the first process that asked and this one. Cost: one load.
[[nodiscard]] std::uint32_t process_generation() noexcept;

}  // namespace weft::tasks::detail
