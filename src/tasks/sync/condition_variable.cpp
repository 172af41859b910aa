// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting on a condition variable, and waking its waiters.
#include "weft/tasks/condition_variable.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <source_location>

#include "weft/base/error.hpp"
#include "weft/tasks/detail/sync/held_locks.hpp"
#include "weft/tasks/detail/waiting/alarm.hpp"
#include "weft/tasks/detail/waiting/timed_wait.hpp"
#include "weft/tasks/detail/waiting/wait_queue.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"
#include "weft/tasks/mutex.hpp"
#include "weft/tasks/this_task.hpp"

namespace weft {

using tasks::detail::stop_query;
using tasks::detail::wait_queue;
using tasks::detail::wait_reason;
using tasks::detail::waiter;

/// Enlists `node`, then unlocks `held`; afterwards `node` may be gone. False: a stop has been
/// requested. A stop request is followed by a notification under the lock, so one of the two sees
/// the other.
bool condition_variable::enlist(const stop_query& stop, mutex& held, waiter& node) noexcept {
  {
    const std::lock_guard guard(guard_);
    if (stop.stop_requested()) {
      return false;
    }
    queue_.push_back(node);
    has_waiters_.store(true, std::memory_order_seq_cst);
  }
  held.release();
  return true;
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
  wait_unless({}, lock, nullptr, where);
}

cv_status condition_variable::wait_before(std::unique_lock<mutex>& lock,
                                          tasks::detail::time_point deadline,
                                          const std::source_location& where) {
  return wait_unless({}, lock, &deadline, where);
}

cv_status condition_variable::wait_unless(const stop_query& stop,
                                          std::unique_lock<mutex>& lock,
                                          const tasks::detail::time_point* deadline,
                                          const std::source_location& where) {
  mutex& held = *lock.mutex();
  held.check_owner();
  const tasks::detail::lock_interruption while_waiting(&held);
  const wait_reason why{.kind = "condition_variable", .object = this, .where = where};
  enum class state : std::uint8_t { not_enlisted, stopped, enlisted } now = state::not_enlisted;
  auto enlist_me = [this, &stop, &held, &now](waiter& node) noexcept {
    now = state::enlisted;  // first: `now` may be gone after the call
    if (enlist(stop, held, node)) {
      return true;
    }
    now = state::stopped;
    return false;
  };
  bool is_notified = true;
  if (deadline == nullptr) {
    tasks::detail::wait(why, enlist_me);
  } else {
    is_notified = tasks::detail::wait_until(
        why, *deadline, enlist_me, [this](waiter& node) noexcept { withdraw(node); });
  }
  if (now == state::enlisted) {
    held.lock_surely(where);
    // the time was up before: unlock and yield all the same, so that others can proceed
  } else if (now == state::not_enlisted) {
    held.release();
    try {
      this_task::yield(where);
    } catch (const error&) {  // NOLINT(bugprone-empty-catch): there is no stack to do it with
    }
    held.lock_surely(where);
  }
  return is_notified ? cv_status::no_timeout : cv_status::timeout;
}

}  // namespace weft
