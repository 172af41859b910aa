// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting for an event. Always takes the lock, because a thread that returns may destroy the event.
// `set` has released the lock by then.
#include "weft/tasks/event.hpp"

#include <mutex>
#include <source_location>

#include "weft/tasks/detail/waiting/alarm.hpp"
#include "weft/tasks/detail/waiting/timed_wait.hpp"
#include "weft/tasks/detail/waiting/wait_queue.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"

namespace weft {

using tasks::detail::wait_queue;
using tasks::detail::wait_reason;
using tasks::detail::waiter;

bool event::occurred() const noexcept {
  const std::lock_guard guard(guard_);
  return has_occurred_;
}

void event::set() noexcept {
  wait_queue ready;
  {
    const std::lock_guard guard(guard_);
    has_occurred_ = true;
    ready = queue_.pop_all_claimed();
  }
  ready.resume_all();
}

void event::reset() noexcept {
  const std::lock_guard guard(guard_);
  has_occurred_ = false;
}

bool event::enlist(waiter& node) noexcept {
  const std::lock_guard guard(guard_);
  if (!has_occurred_) {
    queue_.push_back(node);
  }
  return !has_occurred_;
}

bool event::wait_before(const tasks::detail::time_point* deadline,
                        const std::source_location& where) {
  if (occurred()) {
    return true;
  }
  const wait_reason why{.kind = "event", .object = this, .where = where};
  auto enlist_me = [this](waiter& node) noexcept { return enlist(node); };
  if (deadline == nullptr) {
    tasks::detail::wait(why, enlist_me);
    return true;
  }
  return tasks::detail::wait_until(why, *deadline, enlist_me, [this](waiter& node) noexcept {
    const std::lock_guard guard(guard_);
    queue_.remove_if_queued(node);
  });
}

}  // namespace weft
