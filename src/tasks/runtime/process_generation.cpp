// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts the forks of this process since the first question.
#include "tasks/runtime/process_generation.hpp"

#include <atomic>
#include <cstdint>

#include <pthread.h>

namespace weft::tasks::detail {

constinit std::atomic<std::uint32_t> num_forks_of_process{0};

std::uint32_t process_generation() noexcept {
  static const int is_registered = pthread_atfork(
      nullptr, nullptr, [] { num_forks_of_process.fetch_add(1, std::memory_order_relaxed); });
  static_cast<void>(is_registered);
  return known_process_generation();
}

}  // namespace weft::tasks::detail
