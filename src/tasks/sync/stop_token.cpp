// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls stop callbacks, and removes callbacks while others are called.
#include <atomic>
#include <mutex>

#include "weft/tasks/detail/scheduler/identity.hpp"
#include "weft/tasks/detail/waiting/wait_queue.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"
#include "weft/tasks/inplace_stop_token.hpp"

namespace weft {

namespace tasks::detail {

/// The state of a stop request that calls callbacks, under the source's lock. Lives in the frame
/// that calls them.
struct stop_request {
  const void* caller = current_identity();
  const stop_callback_base* called = nullptr;
  bool was_destroyed = false;  // a callback destroyed the source
  wait_queue waiting;          // for the end of one call, or of all calls
};

}  // namespace tasks::detail

using tasks::detail::stop_callback_base;
using tasks::detail::wait_queue;
using tasks::detail::waiter;

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
  tasks::detail::stop_request mine;
  std::unique_lock guard(lock_);
  if (is_requested_.load(std::memory_order_relaxed)) {
    return false;
  }
  request_ = &mine;
  // release: pairs with the acquire in stop_requested()
  is_requested_.store(true, std::memory_order_release);
  while (stop_callback_base* node = first_) {
    first_ = node->next;
    if (first_ != nullptr) {
      first_->link = &first_;
    }
    node->link = nullptr;
    mine.called = node;
    guard.unlock();
    node->call(*node);
    if (mine.was_destroyed) {
      guard.release();
      return true;
    }
    guard.lock();
    mine.called = nullptr;
    wait_queue ready = mine.waiting.pop_all_claimed();
    if (!ready.is_empty()) {
      guard.unlock();
      ready.resume_all();
      guard.lock();
    }
  }
  request_ = nullptr;
  wait_queue ready = mine.waiting.pop_all_claimed();
  guard.unlock();  // the source may have been destroyed
  ready.resume_all();
  return true;
}

/// Waits until `is_over()`, which is called under the lock. The code that makes it true resumes all
/// waiters.
template <class IsOver>
void inplace_stop_source::wait_for_request(IsOver is_over) const noexcept {
  tasks::detail::wait_surely(
      {.kind = "stop callback", .object = this},
      [this, is_over](waiter& node) noexcept {
        const std::lock_guard guard(lock_);
        if (is_over()) {
          return false;
        }
        request_->waiting.push_back(node);
        return true;
      },
      [this, is_over]() noexcept {
        const std::lock_guard guard(lock_);
        return is_over();
      });
}

void inplace_stop_source::leave_request() noexcept {
  {
    const std::lock_guard guard(lock_);
    if (request_ == nullptr) {
      return;
    }
    if (request_->caller == tasks::detail::current_identity()) {
      request_->was_destroyed = true;
      return;
    }
  }
  wait_for_request([this]() noexcept { return request_ == nullptr; });
}

void inplace_stop_source::remove(stop_callback_base& node) const noexcept {
  {
    const std::lock_guard guard(lock_);
    if (node.link != nullptr) {
      *node.link = node.next;
      if (node.next != nullptr) {
        node.next->link = node.link;
      }
      return;
    }
    if (request_ == nullptr || request_->called != &node ||
        request_->caller == tasks::detail::current_identity()) {
      return;
    }
  }
  wait_for_request(
      [this, &node]() noexcept { return request_ == nullptr || request_->called != &node; });
}

}  // namespace weft
