// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts any number of tasks and waits for all of them.
#pragma once

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <source_location>
#include <type_traits>
#include <utility>

#include "weft/tasks/detail/block_memory.hpp"
#include "weft/tasks/detail/self.hpp"
#include "weft/tasks/detail/worker.hpp"

namespace weft {

namespace tasks::detail {
class known_group;
}

/// Tasks that are waited for together.
///
/// Threads: `run` and `cancel` from any, the group's own tasks included; `wait` from the task or
///          thread that made the group.
/// Example: tests/tasks/task_group_test.cpp: runs_every_task_once.
class task_group {
 public:
  explicit task_group(const std::source_location& where = std::source_location::current());
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;
  /// Waits for what still runs; an exception that nobody waited for is dropped.
  ~task_group();

  /// Starts `body` as a task.
  ///
  /// Cost:    one block of a worker's cache and a push; no atomic read-modify-write when called by
  ///          the group's maker, if that is a task; two otherwise.
  /// Errors:  std::bad_alloc, and nothing is started.
  template <std::invocable F>
  void run(F&& body) {
    using member_type = member_of<std::decay_t<F>>;
    namespace detail = tasks::detail;
    start(*detail::make_block<member_type>(detail::self(), *this, std::forward<F>(body)));
  }

  /// Returns when every task of the group has ended or, after `cancel`, will never start. The group
  /// can then be used again.
  ///
  /// Tasks that nobody took run here; otherwise the calling task is suspended, or the thread
  /// sleeps.
  /// Errors:  rethrows the exception of the task that was started first among those that threw,
  ///          whoever started it; all tasks have run by then. Calls of `run` at the same time have
  ///          no order.
  void wait();

  /// Lets tasks that have not begun end without running. Those that run can ask `is_canceled()`.
  void cancel() noexcept { is_canceled_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool is_canceled() const noexcept {
    return is_canceled_.load(std::memory_order_relaxed);
  }

 private:
  using clock = std::chrono::steady_clock;
  friend class tasks::detail::known_group;
  friend const void* tasks::detail::label_of(const tasks::detail::task& t) noexcept;

  struct member : tasks::detail::task {
    using body_function = void (*)(member&);
    member(task_group& owner, body_function call, void (*end)(member&) noexcept) noexcept
        : task(run_taken), group(&owner), body(call), destroy(end) {}
    task_group* group;
    body_function body;
    void (*destroy)(member&) noexcept;
    std::int64_t number = 0;  // grows from each call of `run` to those that happen after it
  };

  template <class F>
  struct member_of : member {
    template <class G>
    member_of(task_group& owner, G&& callable)
        : member(
              owner,
              [](member& m) { static_cast<member_of&>(m).call(); },
              [](member& m) noexcept { tasks::detail::destroy_block(static_cast<member_of&>(m)); }),
          call(std::forward<G>(callable)) {}
    F call;
  };

  static tasks::detail::waiter* run_taken(tasks::detail::task& t) noexcept;
  void start(member& fresh);
  void perform(member& m) noexcept;
  void perform_counted(member& m) noexcept;
  void perform_timed(member& m) noexcept;
  [[nodiscard]] bool is_own(const tasks::detail::task& t) const noexcept;
  void run_own() noexcept;
  void start_from_outside(member& fresh) noexcept;
  void wait_from_outside();
  void run_reserved() noexcept;
  static bool perform_elsewhere(member& m) noexcept;
  /// How many of the tasks that the maker started it has not run itself.
  [[nodiscard]] std::int64_t left_here() const noexcept {
    return started_here_.load(std::memory_order_relaxed) - ended_here_;
  }
  [[nodiscard]] bool is_nothing_left() const noexcept;
  void wait_for_others();
  [[nodiscard]] bool is_at_home() const noexcept;
  [[nodiscard]] bool is_outside() const noexcept;
  void keep(std::exception_ptr raised, std::int64_t number) noexcept;

  // Tasks left, as seen by others: biased, so that it is zero only once the maker, who waits, has
  // added those that it started and removed those that it ran.
  static constexpr std::int64_t bias = std::int64_t{1} << 48;
  std::atomic<std::int64_t> balance_{bias};
  std::atomic<std::int64_t> started_here_{0};  // only the maker writes it
  std::int64_t ended_here_ = 0;
  std::atomic<std::int64_t> started_elsewhere_{0};
  const void* home_;         // who made it, a task or an OS thread
  clock::time_point begun_;  // of a thread: its first `run` since its last `wait`; or zero
  tasks::detail::scheduler* scheduler_;
  tasks::detail::waiter* waiter_ = nullptr;
  std::atomic<bool> is_canceled_{false};
  tasks::detail::spin_lock error_lock_;
  std::exception_ptr error_;
  std::int64_t error_number_ = std::numeric_limits<std::int64_t>::max();
  std::source_location where_;
};

}  // namespace weft
