// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Granting a shared mutex to readers and writers in the order they came.
#include "weft/tasks/shared_mutex.hpp"

#include <mutex>
#include <source_location>

#include "weft/base/assert.hpp"
#include "weft/base/error.hpp"
#include "weft/tasks/detail/scheduler/identity.hpp"
#include "weft/tasks/detail/sync/held_locks.hpp"
#include "weft/tasks/detail/waiting/wait_queue.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"

namespace weft {

using tasks::detail::current_identity;
using tasks::detail::wait_queue;
using tasks::detail::wait_reason;
using tasks::detail::waiter;

/// A reader or writer that wants the mutex. All functions that use one hold the lock.
struct shared_mutex::request {
  const void* who;
  bool is_writer;
};

bool shared_mutex::is_grantable(const request& wanted) const noexcept {
  return writer_ == nullptr && (num_readers_ == 0 || !wanted.is_writer);
}

void shared_mutex::grant(const request& wanted) noexcept {
  if (wanted.is_writer) {
    writer_ = wanted.who;
  } else {
    ++num_readers_;
  }
}

/// Grants the mutex to the next waiters, and returns them to be resumed.
wait_queue shared_mutex::grant_next() noexcept {
  wait_queue ready;
  while (!queue_.is_empty() &&
         is_grantable(*static_cast<const request*>(queue_.first()->context))) {
    waiter& node = *queue_.first();
    queue_.remove(node);
    grant(*static_cast<const request*>(node.context));
    ready.push_back(node);
  }
  return ready;
}

void shared_mutex::lock_as(bool is_writer, const std::source_location& where) {
  request mine{.who = current_identity(), .is_writer = is_writer};
  {
    const std::lock_guard guard(guard_);
    if (queue_.is_empty() && is_grantable(mine)) {
      grant(mine);
      return;
    }
    if (writer_ == mine.who) {
      throw error(errc::deadlock,
                  "weft::shared_mutex: deadlock: the task locks a mutex that it already holds as "
                  "a writer" +
                      tasks::detail::since_where(this) + "; lock it once, or unlock it first");
    }
  }
  const wait_reason why{.kind = "shared_mutex", .object = this, .where = where};
  tasks::detail::wait(why, [this, &mine](waiter& node) noexcept {
    const std::lock_guard guard(guard_);
    if (queue_.is_empty() && is_grantable(mine)) {
      grant(mine);
      return false;
    }
    node.context = &mine;
    queue_.push_back(node);
    return true;
  });
}

bool shared_mutex::try_lock_as_writer() noexcept {
  const request mine{.who = current_identity(), .is_writer = true};
  const std::lock_guard guard(guard_);
  const bool is_free = is_grantable(mine);
  if (is_free) {
    grant(mine);
  }
  return is_free;
}

bool shared_mutex::try_lock_shared() noexcept {
  const request mine{.who = nullptr, .is_writer = false};
  const std::lock_guard guard(guard_);
  const bool is_free = queue_.is_empty() && is_grantable(mine);
  if (is_free) {
    grant(mine);
  }
  return is_free;
}

void shared_mutex::unlock_as_writer() {
  wait_queue ready;
  {
    const std::lock_guard guard(guard_);
    WEFT_ASSERT(writer_ == current_identity(),
                "a shared_mutex was unlocked by a task that does not hold it as a writer; use "
                "unlock_shared for readers");
    writer_ = nullptr;
    ready = grant_next();
  }
  ready.resume_all();
}

void shared_mutex::unlock_shared() {
  wait_queue ready;
  {
    const std::lock_guard guard(guard_);
    WEFT_ASSERT(num_readers_ > 0,
                "a shared_mutex without readers was unlocked by one; use unlock for writers");
    --num_readers_;
    ready = grant_next();
  }
  ready.resume_all();
}

}  // namespace weft
