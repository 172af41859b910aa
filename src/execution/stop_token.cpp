// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calling stop callbacks, and taking them out while others are called.
#include "weft/execution/stop_token.hpp"

#include <atomic>
#include <mutex>

#include <sched.h>

#include "weft/base/error.hpp"
#include "weft/tasks/detail/identity.hpp"
#include "weft/tasks/detail/spin_lock.hpp"
#include "weft/tasks/this_task.hpp"

namespace weft {

using execution::detail::stop_callback_base;

namespace {

/// Lets the caller of a callback go on, which may be a task that waits for this very worker.
void give_way() noexcept {
  try {
    this_task::yield();
  } catch (const error&) {
    sched_yield();  // no stack to go on with
    return;
  }
  sched_yield();  // the caller may be a thread that has lost this core
}

}  // namespace

bool inplace_stop_source::add(stop_callback_base& node) const noexcept {
  const std::lock_guard guard(lock_);
  if (is_requested_.load(std::memory_order_relaxed)) {
    return false;
  }
  node.next = first_;
  node.link = &first_;
  if (first_ != nullptr) {
    first_->link = &node.next;
  }
  first_ = &node;
  return true;
}

bool inplace_stop_source::request_stop() noexcept {
  lock_.lock();
  if (is_requested_.load(std::memory_order_relaxed)) {
    lock_.unlock();
    return false;
  }
  caller_ = tasks::detail::current_identity();
  // release: pairs with the acquire in stop_requested()
  is_requested_.store(true, std::memory_order_release);
  bool was_destroyed = false;
  was_destroyed_ = &was_destroyed;
  while (stop_callback_base* node = first_) {
    first_ = node->next;
    if (first_ != nullptr) {
      first_->link = &first_;
    }
    node->link = nullptr;
    bool was_removed = false;
    node->was_removed = &was_removed;
    called_.store(node, std::memory_order_relaxed);
    lock_.unlock();
    node->call(*node);
    if (was_destroyed) {
      return true;
    }
    lock_.lock();
    if (!was_removed) {
      node->was_removed = nullptr;
    }
    called_.store(nullptr, std::memory_order_relaxed);
  }
  was_destroyed_ = nullptr;
  lock_.unlock();
  return true;
}

void inplace_stop_source::leave_request() noexcept {
  std::unique_lock guard(lock_);
  while (was_destroyed_ != nullptr) {
    if (caller_ == tasks::detail::current_identity()) {
      *was_destroyed_ = true;
      return;
    }
    guard.unlock();
    give_way();
    guard.lock();
  }
}

void inplace_stop_source::remove(stop_callback_base& node) const noexcept {
  std::unique_lock guard(lock_);
  if (node.link != nullptr) {
    *node.link = node.next;
    if (node.next != nullptr) {
      node.next->link = node.link;
    }
    return;
  }
  if (called_.load(std::memory_order_relaxed) != &node) {
    return;
  }
  if (caller_ == tasks::detail::current_identity()) {
    *node.was_removed = true;
    return;
  }
  while (called_.load(std::memory_order_relaxed) == &node) {
    guard.unlock();
    give_way();
    guard.lock();
  }
}

}  // namespace weft
