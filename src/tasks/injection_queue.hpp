// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A first-in first-out queue for tasks that no worker's deque holds.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>

#include "weft/tasks/detail/spin_lock.hpp"
#include "weft/tasks/detail/task.hpp"

namespace weft::tasks::detail {

/// Threads: any. Cost: a lock per call, no allocation; `is_empty` is one load.
class injection_queue {
 public:
  void push(task& t) noexcept {
    t.next = nullptr;
    const std::lock_guard guard(lock_);
    (last_ == nullptr ? first_ : last_->next) = &t;
    last_ = &t;
    // seq_cst: pairs with the parking worker's look after it announced itself
    size_.store(size_.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
  }

  task* pop() noexcept {
    if (is_empty()) {
      return nullptr;
    }
    const std::lock_guard guard(lock_);
    task* oldest = first_;
    if (oldest != nullptr) {
      first_ = oldest->next;
      last_ = first_ == nullptr ? nullptr : last_;
      size_.store(size_.load(std::memory_order_relaxed) - 1, std::memory_order_seq_cst);
    }
    return oldest;
  }

  /// For who only wants to know: it may be another number already.
  [[nodiscard]] std::size_t size() const noexcept { return size_.load(std::memory_order_relaxed); }

  [[nodiscard]] bool is_empty() const noexcept {
    return size_.load(std::memory_order_seq_cst) == 0;
  }

 private:
  spin_lock lock_;
  task* first_ = nullptr;
  task* last_ = nullptr;
  std::atomic<std::size_t> size_{0};
};

}  // namespace weft::tasks::detail
