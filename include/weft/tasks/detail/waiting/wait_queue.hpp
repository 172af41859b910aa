// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The waiters on a primitive, in order of arrival.
#pragma once

#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"

namespace weft::tasks::detail {

/// A circular list of waiters, one pointer in size. Its user holds its primitive's lock.
class wait_queue {
 public:
  constexpr wait_queue() noexcept = default;
  constexpr explicit wait_queue(waiter* first) noexcept : first_(first) {}

  [[nodiscard]] bool is_empty() const noexcept { return first_ == nullptr; }
  [[nodiscard]] waiter* first() const noexcept { return first_; }

  void push_back(waiter& node) noexcept {
    if (first_ == nullptr) {
      node.next = node.previous = first_ = &node;
      return;
    }
    node.next = first_;
    node.previous = first_->previous;
    node.previous->next = node.next->previous = &node;
  }

  void push_front(waiter& node) noexcept {
    push_back(node);
    first_ = &node;
  }

  void remove(waiter& node) noexcept {
    if (node.next == &node) {
      first_ = nullptr;
    } else {
      node.previous->next = node.next;
      node.next->previous = node.previous;
      first_ = first_ == &node ? node.next : first_;
    }
    node.next = nullptr;
  }

  /// For a wait whose time limit has passed.
  void remove_if_queued(waiter& node) noexcept {
    if (node.next != nullptr) {
      remove(node);
    }
  }

  /// Removes the first waiter that no other thread resumes, for the caller to resume; null if there
  /// is none.
  waiter* pop_claimed() noexcept {
    while (first_ != nullptr) {
      waiter& node = *first_;
      remove(node);
      if (node.claim()) {
        return &node;
      }
    }
    return nullptr;
  }

  /// Removes all waiters that no other thread resumes.
  wait_queue pop_all_claimed() noexcept {
    wait_queue claimed;
    while (waiter* node = pop_claimed()) {
      claimed.push_back(*node);
    }
    return claimed;
  }

  /// Resumes all waiters, which the caller has claimed. Call it without the primitive's lock.
  void resume_all() noexcept {
    while (first_ != nullptr) {
      waiter& node = *first_;
      remove(node);
      resume(node);
    }
  }

 private:
  waiter* first_ = nullptr;
};

}  // namespace weft::tasks::detail
