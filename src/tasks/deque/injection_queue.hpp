// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A first-in first-out queue for tasks that are in no worker's deque.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/sync/spin_lock.hpp"

namespace weft::tasks::detail {

/// Pushing and searching threads share one word, so a task from another core costs few cache
/// misses. Popping threads share the other members.
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
      // seq_cst: pairs with a parking worker's check after it has announced itself
    } while (!newest_.compare_exchange_weak(
        before, &t, std::memory_order_seq_cst, std::memory_order_relaxed));
  }

  task* pop() noexcept {
    if (is_empty()) {
      return nullptr;
    }
    // The newest task also comes from another core: fetch it now, while this thread takes the lock.
    // The task may be gone already, which a prefetch tolerates.
    __builtin_prefetch(newest_.load(std::memory_order_relaxed));
    const std::lock_guard guard(lock_);
    if (oldest_ == nullptr) {
      has_older_.store(true, std::memory_order_relaxed);
      // release: a thread that finds `newest_` empty then sees `has_older_`; acquire: pairs with
      // push()
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

  /// The approximate number of tasks, for statistics only.
  [[nodiscard]] std::size_t size() const noexcept {
    const std::uint64_t num_popped = num_popped_.load(std::memory_order_relaxed);
    return std::max(num_pushed_.load(std::memory_order_relaxed), num_popped) - num_popped;
  }

  /// Returns how many tasks were ever pushed, including those being pushed now.
  [[nodiscard]] std::uint64_t num_pushed() const noexcept {
    // acquire: the caller also sees what the pushing thread did before
    return num_pushed_.load(std::memory_order_acquire);
  }

  [[nodiscard]] bool is_empty() const noexcept {
    // In this order, because pop() sets `has_older_` before it takes the newest tasks away.
    return newest_.load(std::memory_order_seq_cst) == nullptr &&
           !has_older_.load(std::memory_order_relaxed);
  }

 private:
  static task* reversed(task* newest) noexcept {
    task* oldest = nullptr;
    while (newest != nullptr) {
      task* const before = newest->next;
      if (before != oldest) {  // most often there is only one, which needs no store
        newest->next = oldest;
      }
      oldest = newest;
      newest = before;
    }
    return oldest;
  }

  alignas(128) std::atomic<task*> newest_{nullptr};  // a list: `next` is the task pushed before
  std::atomic<std::uint64_t> num_pushed_{0};
  alignas(128) spin_lock lock_;
  std::atomic<bool> has_older_{false};
  task* oldest_ = nullptr;  // older than all in `newest_`; a list: `next` is the task pushed after
  std::atomic<std::uint64_t> num_popped_{0};  // written under the lock
};

}  // namespace weft::tasks::detail
