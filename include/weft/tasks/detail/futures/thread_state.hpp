// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state that a thread, which is a task, shares with its handle.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <source_location>
#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/launch.hpp"

namespace weft::tasks::detail {

/// Owned by its handle and by the running task; the last owner deletes it.
class thread_state : public task {
 public:
  using task::task;
  thread_state(const thread_state&) = delete;
  thread_state& operator=(const thread_state&) = delete;
  virtual ~thread_state() = default;

  void drop_owner() noexcept {
    // acq_rel: the deleting owner has seen all effects of the other
    if (num_owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete this;
    }
  }

  /// Runs `body` as this task, and completes it.
  waiter* run_as(void (*body)(thread_state&)) noexcept;

 private:
  std::atomic<int> num_owners_{2};
};

struct thread_releaser {
  void operator()(thread_state* state) const noexcept { state->drop_owner(); }
};
using thread_handle = std::unique_ptr<thread_state, thread_releaser>;

template <class F, class... Args>
class thread_body final : public thread_state {
 public:
  template <class... Parts>
  explicit thread_body(Parts&&... parts)
      : thread_state(run_body), parts_(std::forward<Parts>(parts)...) {}

 private:
  static waiter* run_body(task& t) noexcept {
    return static_cast<thread_body&>(t).run_as([](thread_state& state) {
      // The parts end with the thread, not with its handle.
      auto parts = std::move(static_cast<thread_body&>(state).parts_);
      std::apply([](F& f, Args&... args) { std::invoke(std::move(f), std::move(args)...); }, parts);
    });
  }

  std::tuple<F, Args...> parts_;
};

void start_thread_state(task_priority priority, thread_state& state);

template <class F, class... Args>
thread_handle start_thread(task_priority priority, F&& f, Args&&... args) {
  using body = thread_body<std::decay_t<F>, std::decay_t<Args>...>;
  auto state = std::make_unique<body>(std::forward<F>(f), std::forward<Args>(args)...);
  start_thread_state(priority, *state);
  return thread_handle(state.release());
}

void check_joinable(const thread_state* state);
void join_thread(thread_state* state, const std::source_location& where);

}  // namespace weft::tasks::detail
