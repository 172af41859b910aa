// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks of threads that are no workers, each of which runs them itself if it waits for them soon.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/sync/spin_lock.hpp"

namespace weft::tasks::detail {

/// A list, oldest first, linked through the tasks.
///
/// Threads: any.
/// Cost:    a lock; `take` looks at every task.
class reserved_tasks {
 public:
  void push(task& t) noexcept {
    const std::lock_guard guard(lock_);
    t.next = nullptr;
    *end_ = &t;
    end_ = &t.next;
    num_pushed_.store(num_pushed() + 1, std::memory_order_relaxed);
    // seq_cst: pairs with the look of a worker that announced itself as a sleeper before
    size_.fetch_add(1, std::memory_order_seq_cst);
  }

  /// Takes those out for which `is_wanted` holds; returns the oldest, linked to the others.
  template <class Wanted>
  task* take(Wanted is_wanted) noexcept {
    if (is_empty()) {
      return nullptr;
    }
    task* found = nullptr;
    task** last_found = &found;
    const std::lock_guard guard(lock_);
    for (task** link = &first_; *link != nullptr;) {
      task& t = **link;
      if (!is_wanted(t)) {
        link = &t.next;
        continue;
      }
      *link = t.next;
      t.next = nullptr;
      *last_found = &t;
      last_found = &t.next;
      size_.fetch_sub(1, std::memory_order_relaxed);
    }
    end_ = &first_;
    while (*end_ != nullptr) {
      end_ = &(*end_)->next;
    }
    return found;
  }

  /// Its address says whether it is still the same; it may be gone already.
  [[nodiscard]] const task* oldest() noexcept {
    const std::lock_guard guard(lock_);
    return first_;
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool is_empty() const noexcept {
    return size_.load(std::memory_order_seq_cst) == 0;
  }
  /// How many there ever were.
  [[nodiscard]] std::uint64_t num_pushed() const noexcept {
    return num_pushed_.load(std::memory_order_relaxed);
  }

 private:
  alignas(128) spin_lock lock_;
  task* first_ = nullptr;
  task** end_ = &first_;
  std::atomic<std::uint64_t> num_pushed_{0};  // written with the lock
  std::atomic<std::size_t> size_{0};
};

}  // namespace weft::tasks::detail
