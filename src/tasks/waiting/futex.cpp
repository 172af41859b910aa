// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// futex(2) and membarrier(2), for which the C library has no functions.
#include "tasks/waiting/futex.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdint>
#include <ctime>
#include <optional>

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "weft/tasks/detail/scheduler/disturb.hpp"

namespace weft::tasks::detail {

bool futex_wait(const std::atomic<std::uint32_t>& word,
                std::uint32_t expected,
                std::optional<std::chrono::nanoseconds> timeout) noexcept {
  timespec limit{};
  if (timeout) {
    const auto left_ns = std::max<std::int64_t>(timeout->count(), 0);
    limit.tv_sec = left_ns / 1'000'000'000;
    limit.tv_nsec = left_ns % 1'000'000'000;
  }
  const long result = syscall(
      SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, timeout ? &limit : nullptr, nullptr, 0);
  return result == 0 || errno != ETIMEDOUT;
}

void futex_wake(const std::atomic<std::uint32_t>& word, int count) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

bool enable_barrier_for_all() noexcept {
  return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

void barrier_for_all() noexcept {
  show_all_stores();
  syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

}  // namespace weft::tasks::detail
