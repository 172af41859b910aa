// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arriving and waiting at a barrier.
#include "weft/tasks/barrier.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <source_location>

#include "weft/base/assert.hpp"
#include "weft/tasks/detail/waiting/wait_queue.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"

namespace weft::tasks::detail {

barrier_base::arrival_result barrier_base::arrive(std::ptrdiff_t num_arrived, bool for_good) {
  const std::lock_guard guard(guard_);
  WEFT_ASSERT(num_arrived > 0 && num_arrived <= num_missing_,
              "more arrivals at a barrier than it expects; give it the number of all arrivals");
  num_missing_ -= num_arrived;
  num_expected_ -= for_good ? num_arrived : 0;
  return {.phase = phase_, .is_last = num_missing_ == 0};
}

void barrier_base::next_phase() noexcept {
  wait_queue ready;
  {
    const std::lock_guard guard(guard_);
    ++phase_;
    num_missing_ = num_expected_;
    ready = queue_.pop_all_claimed();
  }
  ready.resume_all();
}

// Always takes the lock, because a thread that returns may destroy the barrier. The last one to
// arrive has released the lock by then.
void barrier_base::wait(std::uint64_t phase, const std::source_location& where) {
  {
    const std::lock_guard guard(guard_);
    if (phase != phase_) {
      return;
    }
  }
  const wait_reason why{.kind = "barrier", .object = this, .where = where};
  detail::wait(why, [this, phase](waiter& node) noexcept {
    const std::lock_guard guard(guard_);
    if (phase != phase_) {
      return false;
    }
    queue_.push_back(node);
    return true;
  });
}

}  // namespace weft::tasks::detail
