// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A first-in first-out queue for tasks that no worker's deque holds.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/sync/spin_lock.hpp"

namespace weft::tasks::detail {

/// Who pushes and who searches share one word, so that a task from another core costs few cache
/// misses; those who pop share the rest.
///
/// Threads: any.
/// Cost:    an exchange per push, a lock and at most one exchange per pop, no allocation;
///          `is_empty` is two loads.
class injection_queue {
 public:
  void push(task& t) noexcept {
    // release: pairs with num_pushed(). First, since it fetches the line that the exchange needs.
    num_pushed_.fetch_add(1, std::memory_order_release);
    task* before = newest_.load(std::memory_order_relaxed);
    do {
      t.next = before;
      // seq_cst: pairs with the parking worker's look after it announced itself
    } while (!newest_.compare_exchange_weak(
        before, &t, std::memory_order_seq_cst, std::memory_order_relaxed));
  }

  task* pop() noexcept {
    if (is_empty()) {
      return nullptr;
    }
    // Comes from another core, too, and can do so meanwhile; it may be gone already, which is no
    // matter to a prefetch.
    __builtin_prefetch(newest_.load(std::memory_order_relaxed));
    const std::lock_guard guard(lock_);
    if (oldest_ == nullptr) {
      has_older_.store(true, std::memory_order_relaxed);
      // release: who finds nothing here any more sees `has_older_`; acquire: pairs with push()
      oldest_ = reversed(newest_.exchange(nullptr, std::memory_order_acq_rel));
    }
    task* const found = oldest_;
    if (found != nullptr) {
      oldest_ = found->next;
      num_popped_.store(num_popped_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    has_older_.store(oldest_ != nullptr, std::memory_order_relaxed);
    return found;
  }

  /// For who only wants to know: it may be another number already.
  [[nodiscard]] std::size_t size() const noexcept {
    const std::uint64_t num_popped = num_popped_.load(std::memory_order_relaxed);
    return std::max(num_pushed_.load(std::memory_order_relaxed), num_popped) - num_popped;
  }

  /// How many tasks there ever were, those that are being pushed included.
  [[nodiscard]] std::uint64_t num_pushed() const noexcept {
    // acquire: what its pusher did before is seen, too
    return num_pushed_.load(std::memory_order_acquire);
  }

  [[nodiscard]] bool is_empty() const noexcept {
    // In this order: pop() says that there may be older ones before it takes the newest away.
    return newest_.load(std::memory_order_seq_cst) == nullptr &&
           !has_older_.load(std::memory_order_relaxed);
  }

 private:
  static task* reversed(task* newest) noexcept {
    task* oldest = nullptr;
    while (newest != nullptr) {
      task* const before = newest->next;
      if (before != oldest) {  // alone, as most often, it need not be written
        newest->next = oldest;
      }
      oldest = newest;
      newest = before;
    }
    return oldest;
  }

  alignas(128) std::atomic<task*> newest_{nullptr};  // each with the one before it as `next`
  std::atomic<std::uint64_t> num_pushed_{0};
  alignas(128) spin_lock lock_;
  std::atomic<bool> has_older_{false};
  task* oldest_ = nullptr;  // older than all of those, each with the one after it as `next`
  std::atomic<std::uint64_t> num_popped_{0};  // written with the lock
};

}  // namespace weft::tasks::detail
