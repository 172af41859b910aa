// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The slow paths of semaphores, with waiters.
#include "weft/tasks/semaphore.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <source_location>

#include "weft/tasks/detail/waiting/alarm.hpp"
#include "weft/tasks/detail/waiting/timed_wait.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"

namespace weft {
namespace tasks::detail {

bool semaphore_base::acquire_slowly(const time_point* deadline, const std::source_location& where) {
  const wait_reason why{.kind = "semaphore", .object = this, .where = where};
  auto enlist_me = [this](waiter& node) noexcept { return enlist(node); };
  if (deadline == nullptr) {
    wait(why, enlist_me);
    return true;
  }
  return wait_until(why, *deadline, enlist_me, [this](waiter& node) noexcept { withdraw(node); });
}

/// Adds `node` to the waiters. False: the count was positive without waiters, and has been
/// decremented instead.
bool semaphore_base::enlist(waiter& node) noexcept {
  const std::lock_guard guard(guard_);
  // acquire: pairs with the release in release()
  std::ptrdiff_t word = word_.fetch_or(has_waiters, std::memory_order_acquire);
  if (queue_.is_empty() && word > 1) {
    word_.fetch_sub(2 + has_waiters, std::memory_order_acquire);
    return false;
  }
  queue_.push_back(node);
  return true;
}

void semaphore_base::withdraw(waiter& node) noexcept {
  const std::lock_guard guard(guard_);
  queue_.remove_if_queued(node);
  unmark_if_empty();
}

/// While `has_waiters` is set, only the thread that holds the lock changes the word.
void semaphore_base::release_slowly(std::ptrdiff_t num_more) noexcept {
  wait_queue ready;
  {
    const std::lock_guard guard(guard_);
    std::ptrdiff_t word = word_.fetch_add(2 * num_more, std::memory_order_acq_rel) + 2 * num_more;
    while (word > 1 && !queue_.is_empty()) {
      if (waiter* node = queue_.pop_claimed()) {
        ready.push_back(*node);
        word = word_.fetch_sub(2, std::memory_order_relaxed) - 2;
      }
    }
    unmark_if_empty();
  }
  ready.resume_all();
}

void semaphore_base::unmark_if_empty() noexcept {
  if (queue_.is_empty()) {
    // release: pairs with the next acquire without the lock
    word_.fetch_and(~has_waiters, std::memory_order_release);
  }
}

}  // namespace tasks::detail

using tasks::detail::wait_queue;
using tasks::detail::wait_reason;
using tasks::detail::waiter;

void sliding_semaphore::wait(std::int64_t upper, const std::source_location& where) {
  if (try_wait(upper)) {
    return;
  }
  const wait_reason why{.kind = "sliding_semaphore", .object = this, .where = where};
  tasks::detail::wait(why, [this, &upper](waiter& node) noexcept {
    const std::lock_guard guard(guard_);
    if (may_pass(upper)) {
      return false;
    }
    node.context = &upper;
    queue_.push_back(node);
    return true;
  });
}

bool sliding_semaphore::try_wait(std::int64_t upper) noexcept {
  const std::lock_guard guard(guard_);
  return may_pass(upper);
}

/// Returns the waiters that may pass now. The caller holds the lock.
wait_queue sliding_semaphore::take_waiters_within_limit() noexcept {
  wait_queue passing;
  wait_queue staying;
  while (waiter* node = queue_.pop_claimed()) {
    (may_pass(*static_cast<const std::int64_t*>(node->context)) ? passing : staying)
        .push_back(*node);
  }
  queue_ = staying;
  return passing;
}

void sliding_semaphore::signal(std::int64_t lower) noexcept {
  wait_queue ready;
  {
    const std::lock_guard guard(guard_);
    lower_ = std::max(lower, lower_);
    ready = take_waiters_within_limit();
  }
  ready.resume_all();
}

std::int64_t sliding_semaphore::signal_all() noexcept {
  wait_queue ready;
  std::int64_t lower = 0;
  {
    const std::lock_guard guard(guard_);
    ready = queue_.pop_all_claimed();
    lower = lower_;
  }
  ready.resume_all();
  return lower;
}

void sliding_semaphore::set_max_difference(std::int64_t max_difference,
                                           std::int64_t lower_limit) noexcept {
  wait_queue ready;
  {
    const std::lock_guard guard(guard_);
    max_difference_ = max_difference;
    lower_ = lower_limit;
    ready = take_waiters_within_limit();
  }
  ready.resume_all();
}

}  // namespace weft
