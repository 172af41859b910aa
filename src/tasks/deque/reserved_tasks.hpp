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
  /// Calls `then()` while nobody can take `t` yet.
  template <class Then>
  void push(task& t, Then then) noexcept {
    const std::lock_guard guard(lock_);
    t.next = nullptr;
    *end_ = &t;
    end_ = &t.next;
    num_pushed_.store(num_pushed() + 1, std::memory_order_relaxed);
    // seq_cst: pairs with the look of a worker that announced itself as a sleeper before
    size_.store(size() + 1, std::memory_order_seq_cst);
    then();
  }

  /// Takes those out for which `is_wanted` holds; returns the oldest, linked to the others.
  template <class Wanted>
  task* take(Wanted is_wanted) noexcept {
    if (is_empty()) {
      return nullptr;
    }
    task* found = nullptr;
    task** last_found = &found;
    std::size_t num_found = 0;
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
      ++num_found;
    }
    size_.store(size() - num_found, std::memory_order_relaxed);
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
  std::atomic<std::size_t> size_{0};          // the same
};

}  // namespace weft::tasks::detail
