// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Distinguishes a process from its forks, which inherit a runtime's memory but none of its threads.
#pragma once

#include <atomic>
#include <cstdint>

namespace weft::tasks::detail {

/// Returns how many forks lie between the first process that called this function and the calling
/// one.
/// Cost:    one load.
[[nodiscard]] std::uint32_t process_generation() noexcept;

extern constinit std::atomic<std::uint32_t> num_forks_of_process;

/// Returns the same number, after the first call of `process_generation`.
/// Cost:    one load.
[[nodiscard]] inline std::uint32_t known_process_generation() noexcept {
  return num_forks_of_process.load(std::memory_order_relaxed);
}

}  // namespace weft::tasks::detail
