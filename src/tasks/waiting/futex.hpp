// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sleeping on a 32-bit word, and a barrier for every running thread of the process.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace weft::tasks::detail {

/// Sleeps while `word` holds `expected`; may return early. False: the time limit has passed.
bool futex_wait(const std::atomic<std::uint32_t>& word,
                std::uint32_t expected,
                std::optional<std::chrono::nanoseconds> timeout = std::nullopt) noexcept;

/// Wakes up to `count` sleepers on `word`, whose object may no longer exist.
void futex_wake(const std::atomic<std::uint32_t>& word, int count = 1) noexcept;

/// Prepares the process for `barrier_for_all`. False: the kernel or a sandbox refuses.
bool enable_barrier_for_all() noexcept;

/// Makes every running thread of the process pass a full memory barrier.
/// Cost:    0.1 us alone, about 2 us with other threads running.
/// Source:  membarrier(2), MEMBARRIER_CMD_PRIVATE_EXPEDITED.
void barrier_for_all() noexcept;

}  // namespace weft::tasks::detail
