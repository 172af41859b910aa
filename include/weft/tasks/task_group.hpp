// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts any number of tasks and waits for all of them.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <source_location>
#include <type_traits>
#include <utility>

#include "weft/base/durations.hpp"
#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/scheduler/block_memory.hpp"
#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/sync/spin_lock.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"
#include "weft/tasks/stop_token.hpp"

namespace weft {

class task_graph;

namespace tasks::detail {
class known_group;
}

/// How a group's tasks ended, as `task_group::wait` returns it.
enum class task_group_status : std::uint8_t {
  complete,  // all tasks have run
  canceled   // the group, or one around it, was canceled: tasks that had not begun did not run
};

/// The reaction of a group to an exception of one of its tasks.
enum class on_exception : std::uint8_t {
  run_others,    // the other tasks run all the same
  cancel_others  // the group is canceled, as by `cancel()`
};

/// A group of tasks that are waited for together.
///
/// A group made by a task of another group is nested in that group. So is a group made by a branch
/// of that task: of `fork_join`, `parallel_for` and parallel algorithms, on any worker. Tasks
/// started with `async`, `post` or `thread`, and suspended coroutines, do not belong to the group.
/// Exception: they run nested on a task of the group that waits for them. A nested group ends
/// before the group around it: do not keep one in a coroutine that is not awaited.
/// Threads: `run`, `cancel`, `is_canceled` and `get_stop_token` from any, including the group's own
///          tasks. `wait` from the task or thread that made the group, before it ends.
/// Example: tests/tasks/task_group_test.cpp: runs_every_task_once.
class task_group {
 public:
  explicit task_group(const std::source_location& where = std::source_location::current())
      : task_group(on_exception::run_others, where) {}
  explicit task_group(on_exception then,
                      const std::source_location& where = std::source_location::current());
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;
  /// Waits for tasks that still run; an exception that no `wait` has rethrown is dropped.
  ~task_group();

  /// Starts `body` as a task.
  ///
  /// Cost:    one block of a worker's cache and a push. No atomic read-modify-write if the task
  ///          that made the group calls it; two from other tasks. A thread that is not a worker
  ///          allocates a block on the heap, and for the first task needs one such operation. While
  ///          all workers are busy, it needs two and a lock per task.
  /// Errors:  std::bad_alloc; then nothing is started.
  template <std::invocable F>
  void run(F&& body) {
    using member_type = member_of<std::decay_t<F>>;
    namespace detail = tasks::detail;
    start(*detail::make_block<member_type>(detail::self(), *this, std::forward<F>(body)));
  }

  /// Returns when every task of the group has ended or, after a cancellation, will never start.
  /// The group can then be used again, and is canceled only if a group around it is.
  ///
  /// Tasks that were not stolen run here; otherwise the calling task is suspended, or the thread
  /// sleeps.
  /// Errors:  rethrows the exception of the task that was started first among those that threw; no
  ///          task runs any more by then. Simultaneous calls of `run` have no order. In a nested
  ///          group an exception goes no further than this call. If it leaves the task that made
  ///          the group, it becomes an exception of the outer group.
  task_group_status wait();

  /// Cancels this group and all groups nested in it: tasks that have not begun end without running.
  /// Those that run can ask `this_task::stop_requested()`, or have a callback called by
  /// `this_task::get_stop_token()`.
  ///
  /// It ends no wait by itself, does not wait, and lasts until `wait` returns.
  /// Cost:    an atomic increment and a short lock; the first question of each group afterwards
  ///          looks at the groups around it. With tokens, their callbacks are called here.
  /// Example: tests/tasks/task_group_cancel_test.cpp: cancel_reaches_nested_groups.
  void cancel() noexcept;

  /// True if this group, or one around it, was canceled. Cost: two loads and a comparison.
  [[nodiscard]] bool is_canceled() const noexcept {
    // acquire: pairs with the release in cancel()
    const std::uint32_t changes = root_->num_changes_.load(std::memory_order_acquire);
    const std::uint64_t seen = seen_.load(std::memory_order_relaxed);
    return (seen >> 1) == changes ? (seen & 1) != 0 : look_for_cancellation(changes);
  }

  /// A token that asks to stop once this group, or one around it, is canceled. It is good until
  /// `wait` returns; kept longer, it stays as it was.
  ///
  /// Cost:    the first call allocates, for the groups around this one, too.
  /// Errors:  std::bad_alloc.
  /// Example: tests/tasks/task_group_cancel_test.cpp: cancel_calls_callbacks_of_nested_groups.
  [[nodiscard]] stop_token get_stop_token();

 private:
  friend class task_graph;
  friend class tasks::detail::known_group;
  friend const void* tasks::detail::label_of(const tasks::detail::task& t) noexcept;

  struct member : tasks::detail::task {
    using body_function = void (*)(member&);
    member(task_group* owner, body_function call, void (*end)(member&) noexcept) noexcept
        : task(run_taken), group(owner), body(call), destroy(end) {}
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
              &owner,
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
  void start_from_outside(member& fresh, bool is_first) noexcept;
  void wait_from_outside();
  void give_place_back() noexcept;
  static bool perform_on_another_stack(member& m) noexcept;
  /// How many of the tasks that the maker started it has not run itself.
  [[nodiscard]] std::int64_t left_here() const noexcept {
    return started_here_.load(std::memory_order_relaxed) - ended_here_;
  }
  [[nodiscard]] bool is_nothing_left() const noexcept;
  void wait_for_others();
  [[nodiscard]] bool is_at_home() const noexcept;
  [[nodiscard]] bool is_outside() const noexcept;
  void keep(std::exception_ptr raised, std::int64_t number) noexcept;
  void nest() noexcept;
  [[nodiscard]] bool look_for_cancellation(std::uint32_t changes) const noexcept;
  bool end_cancellation() noexcept;
  [[nodiscard]] stop_source source_of_tokens() noexcept;
  [[nodiscard]] stop_token make_stop_token(stop_token outer);

  /// Asks the holders of a group's tokens to stop, and those of the groups nested in it.
  struct token_source;

  // Tasks left, as seen by other threads. The count is biased: it is zero only after the waiting
  // maker has added the tasks that it started and removed those that it ran.
  static constexpr std::int64_t bias = std::int64_t{1} << 48;
  std::atomic<std::int64_t> balance_{bias};
  std::atomic<std::int64_t> started_here_{0};  // only the maker writes it
  std::int64_t ended_here_ = 0;
  std::atomic<std::int64_t> started_elsewhere_{0};
  const void* home_;  // the task or OS thread that made the group
  tasks::detail::scheduler* scheduler_;
  // the place in which a thread that is not a worker starts tasks
  tasks::detail::worker* place_ = nullptr;
  tasks::detail::waiter* waiter_ = nullptr;
  on_exception on_exception_;
  std::atomic<bool> is_canceled_{false};  // by its own `cancel`
  task_group* outer_ = nullptr;           // the group that this one is nested in
  task_group* root_ = this;               // the outermost of those around it
  // Of a root: how often a group in it was canceled, or used again after that.
  std::atomic<std::uint32_t> num_changes_{0};
  // Whether the group was canceled (lowest bit) when the root had so many changes.
  mutable std::atomic<std::uint64_t> seen_{0};
  std::atomic<bool> has_tokens_{false};  // relaxed: tasks that have ended are known to the maker
  tasks::detail::spin_lock lock_;        // for what follows
  std::unique_ptr<token_source> tokens_;
  std::exception_ptr error_;
  std::int64_t error_number_ = std::numeric_limits<std::int64_t>::max();
  std::source_location where_;
};

namespace this_task {

/// True if the group whose task, or part of a task, the caller is, or one around it, was canceled.
/// False where there is no such group.
///
/// Cost:    about ten instructions; the first question in a part that a thief runs looks the group
///          up.
/// Example: tests/tasks/task_group_cancel_test.cpp: running_tasks_can_ask_whether_to_stop.
[[nodiscard]] bool stop_requested() noexcept;

/// That group's `get_stop_token()`; where there is none, a token that never asks.
[[nodiscard]] stop_token get_stop_token();

}  // namespace this_task

}  // namespace weft
