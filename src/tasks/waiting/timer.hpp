// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The process's timer: one thread that runs alarms at their deadlines.
#pragma once

#include <atomic>
#include <cstdint>

#include "weft/tasks/detail/sync/spin_lock.hpp"
#include "weft/tasks/detail/waiting/timed_wait.hpp"

namespace weft::tasks::detail {

/// A heap of alarms by deadline. Needs no memory of its own.
///
/// Cost:    O(1) to insert, O(log n) amortised to remove.
/// Source:  Fredman, Sedgewick, Sleator and Tarjan, "The Pairing Heap", Algorithmica 1, 1986.
class timer_heap {
 public:
  [[nodiscard]] alarm* first() const noexcept { return root_; }
  void insert(alarm& node) noexcept;
  void remove(alarm& node) noexcept;

 private:
  static alarm* meld(alarm* one, alarm* other) noexcept;
  static alarm* meld_siblings(alarm* first) noexcept;
  void set_root(alarm* node) noexcept;

  alarm* root_ = nullptr;
};

/// Threads: every member from any thread. The object lives as long as the process.
class timer {
 public:
  /// Starts the thread unless it runs. Errors: std::system_error.
  void start_thread();

  /// Locks and inserts. True: `node` is due before all others.
  bool lock_and_insert(alarm& node) noexcept;
  void remove_locked(alarm& node) noexcept { heap_.remove(node); }
  void unlock(bool must_wake) noexcept;

  void remove(alarm& node) noexcept;

  /// See `set_alarm`, `cancel_alarm`.
  bool set(alarm& node) noexcept;
  bool cancel(alarm& node) noexcept;

 private:
  [[noreturn]] void run() noexcept;
  alarm* take_due(time_point now) noexcept;

  spin_lock lock_;
  timer_heap heap_;
  std::atomic<bool> is_running_{false};
  std::atomic<std::uint32_t> num_changes_{0};  // counts changes of the first deadline
};

timer& process_timer() noexcept;

}  // namespace weft::tasks::detail
