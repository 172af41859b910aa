// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The timer's heap, its thread, and waiting with a time limit.
#include "tasks/waiting/timer.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/waiting/alarm.hpp"
#include "weft/tasks/detail/waiting/timed_wait.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"

#include "tasks/scheduler/scheduler.hpp"
#include "tasks/waiting/futex.hpp"

namespace weft::tasks::detail {

void timer_heap::insert(alarm& node) noexcept {
  node.child = node.sibling = nullptr;
  set_root(meld(root_, &node));
}

void timer_heap::remove(alarm& node) noexcept {
  if (node.link == nullptr) {
    return;
  }
  *node.link = node.sibling;
  if (node.sibling != nullptr) {
    node.sibling->link = node.link;
  }
  alarm* orphans = meld_siblings(node.child);
  node.link = nullptr;
  set_root(meld(root_, orphans));
}

void timer_heap::set_root(alarm* node) noexcept {
  root_ = node;
  if (node != nullptr) {
    node->sibling = nullptr;
    node->link = &root_;
  }
}

/// Makes the later of two trees, either of which may be null, the first child of the other.
alarm* timer_heap::meld(alarm* one, alarm* other) noexcept {
  if (one == nullptr || other == nullptr) {
    return one == nullptr ? other : one;
  }
  if (other->deadline < one->deadline) {
    std::swap(one, other);
  }
  other->sibling = one->child;
  if (other->sibling != nullptr) {
    other->sibling->link = &other->sibling;
  }
  one->child = other;
  other->link = &one->child;
  return one;
}

/// Melds a list of trees: first pairs from the left, then the results from the right.
alarm* timer_heap::meld_siblings(alarm* first) noexcept {
  alarm* pairs = nullptr;
  while (first != nullptr) {
    alarm* second = first->sibling;
    alarm* rest = second != nullptr ? second->sibling : nullptr;
    alarm* pair = meld(first, second);
    pair->sibling = pairs;
    pairs = pair;
    first = rest;
  }
  alarm* all = nullptr;
  while (pairs != nullptr) {
    alarm* next = pairs->sibling;
    all = meld(all, pairs);
    pairs = next;
  }
  return all;
}

timer& process_timer() noexcept {
  // Never destroyed: runtimes that end after main() may still wait for timers. Without memory for
  // it no wait could end, so the program ends here.
  static timer& instance = *new timer;  // NOLINT(bugprone-unhandled-exception-at-new)
  return instance;
}

void timer::start_thread() {
  if (is_running_.load(std::memory_order_acquire)) {
    return;
  }
  static constinit std::mutex starting;
  const std::lock_guard guard(starting);
  if (!is_running_.load(std::memory_order_relaxed)) {
    std::thread([this] { run(); }).detach();
    is_running_.store(true, std::memory_order_release);
  }
}

bool timer::lock_and_insert(alarm& node) noexcept {
  lock_.lock();
  heap_.insert(node);
  return heap_.first() == &node;
}

void timer::unlock(bool must_wake) noexcept {
  if (must_wake) {
    num_changes_.fetch_add(1, std::memory_order_relaxed);
  }
  lock_.unlock();
  if (must_wake) {
    futex_wake(num_changes_);
  }
}

void timer::remove(alarm& node) noexcept {
  const std::lock_guard guard(lock_);
  heap_.remove(node);
}

bool timer::set(alarm& node) noexcept {
  bool is_first = false;
  {
    const std::lock_guard guard(lock_);
    if (node.at == alarm::stage::cancelled) {
      return false;
    }
    node.at = alarm::stage::set;
    heap_.insert(node);
    is_first = heap_.first() == &node;
    if (is_first) {
      num_changes_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  if (is_first) {
    futex_wake(num_changes_);
  }
  return true;
}

bool timer::cancel(alarm& node) noexcept {
  const std::lock_guard guard(lock_);
  const bool was_set = node.at == alarm::stage::set;
  if (was_set) {
    heap_.remove(node);
  }
  if (node.at != alarm::stage::due) {
    node.at = alarm::stage::cancelled;
  }
  return was_set;
}

/// Removes alarms that are due and not claimed by another thread. Returns them linked by `sibling`.
/// The caller holds the lock.
alarm* timer::take_due(time_point now) noexcept {
  alarm* due = nullptr;
  alarm** end = &due;
  while (heap_.first() != nullptr && heap_.first()->deadline <= now) {
    alarm& node = *heap_.first();
    heap_.remove(node);
    if (node.claim(node)) {
      node.sibling = nullptr;
      *end = &node;
      end = &node.sibling;
    }
  }
  return due;
}

void timer::run() noexcept {
  for (;;) {
    alarm* due = nullptr;
    std::optional<std::chrono::nanoseconds> pause;
    std::uint32_t seen = 0;
    {
      const std::lock_guard guard(lock_);
      const time_point now = std::chrono::steady_clock::now();
      due = take_due(now);
      seen = num_changes_.load(std::memory_order_relaxed);
      if (heap_.first() != nullptr) {
        pause = heap_.first()->deadline - now;
      }
    }
    const bool was_any_due = due != nullptr;
    while (due != nullptr) {
      alarm& node = *due;
      due = node.sibling;
      node.ring(node);
    }
    if (!was_any_due) {
      futex_wait(num_changes_, seen, pause);
    }
  }
}

void start_timer() { process_timer().start_thread(); }
bool set_alarm(alarm& a) noexcept { return process_timer().set(a); }
bool cancel_alarm(alarm& a) noexcept { return process_timer().cancel(a); }
bool claim_alarm(alarm& due) noexcept {
  due.at = alarm::stage::due;
  return true;
}

void timed_waiter::resume_waiter(alarm& due) noexcept { resume(static_cast<timed_waiter&>(due)); }

arming::arming(timed_waiter& node) noexcept : is_first_(process_timer().lock_and_insert(node)) {}
arming::~arming() { process_timer().unlock(is_first_); }
void arming::revoke(timed_waiter& node) noexcept { process_timer().remove_locked(node); }

void suspend_with_timer(enlistment& e, timed_waiter& node) {
  process_timer().start_thread();
  scheduler* const home = self() != nullptr ? self()->home : nullptr;
  if (home != nullptr) {
    home->external_begin();
  }
  try {
    suspend(e);
  } catch (...) {
    if (home != nullptr) {
      home->external_end();
    }
    throw;
  }
  process_timer().remove(node);
  if (home != nullptr) {
    home->external_end();
  }
}

}  // namespace weft::tasks::detail
