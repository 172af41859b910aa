// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting on a condition variable, and waking who waits.
#include "weft/tasks/condition_variable.hpp"

#include <mutex>
#include <source_location>

#include "weft/tasks/this_task.hpp"

namespace weft {

using tasks::detail::wait_queue;
using tasks::detail::wait_reason;
using tasks::detail::waiter;

/// Enlists, then unlocks: from there on `node` may be gone.
void condition_variable::enlist(mutex& held, waiter& node) noexcept {
  {
    const std::lock_guard guard(guard_);
    queue_.push_back(node);
    has_waiters_.store(true, std::memory_order_seq_cst);
  }
  held.release();
}

void condition_variable::withdraw(waiter& node) noexcept {
  const std::lock_guard guard(guard_);
  queue_.remove_if_queued(node);
  has_waiters_.store(!queue_.is_empty(), std::memory_order_relaxed);
}

void condition_variable::notify(bool all) noexcept {
  wait_queue ready;
  {
    const std::lock_guard guard(guard_);
    if (all) {
      ready = queue_.pop_all_claimed();
    } else if (waiter* node = queue_.pop_claimed()) {
      ready.push_back(*node);
    }
    has_waiters_.store(!queue_.is_empty(), std::memory_order_relaxed);
  }
  ready.resume_all();
}

void condition_variable::wait(std::unique_lock<mutex>& lock, const std::source_location& where) {
  mutex& held = *lock.mutex();
  held.check_owner();
  const wait_reason why{.kind = "condition_variable", .object = this, .where = where};
  tasks::detail::wait(why, [this, &held](waiter& node) noexcept {
    enlist(held, node);
    return true;
  });
  held.lock(where);
}

cv_status condition_variable::wait_before(std::unique_lock<mutex>& lock,
                                          tasks::detail::time_point deadline,
                                          const std::source_location& where) {
  mutex& held = *lock.mutex();
  held.check_owner();
  const wait_reason why{.kind = "condition_variable", .object = this, .where = where};
  bool has_unlocked = false;
  const bool is_notified = tasks::detail::wait_until(
      why,
      deadline,
      [this, &held, &has_unlocked](waiter& node) noexcept {
        has_unlocked = true;
        enlist(held, node);
        return true;
      },
      [this](waiter& node) noexcept { withdraw(node); });
  if (has_unlocked) {
    held.lock(where);
  } else {  // the time was up before: others get their chance all the same
    lock.unlock();
    this_task::yield(where);
    lock.lock();
  }
  return is_notified ? cv_status::no_timeout : cv_status::timeout;
}

}  // namespace weft
