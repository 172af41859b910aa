// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scheduling onto the workers of a runtime: the operation is the task, nothing is allocated.
#pragma once

#include <type_traits>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/scheduler.hpp"
#include "weft/execution/sender.hpp"
#include "weft/execution/stop_token.hpp"
#include "weft/tasks/runtime_types.hpp"

namespace weft {

namespace execution {

class runtime_scheduler;

namespace detail {

class waiting_side;

/// The waiting task, if known: it may run a task of its own operation itself.
struct get_waiting_side_t : forwarding_query_t {};

/// Queues `t`, whatever it takes.
void start_task(tasks::scheduler& home, tasks::work_item& t) noexcept;
/// The same; `side` may take it back and run it if it is at work on the calling worker.
void start_task_for(waiting_side& side, tasks::scheduler& home, tasks::work_item& t) noexcept;
/// The default runtime's.
[[nodiscard]] tasks::scheduler& default_scheduler();

template <class Receiver>
struct runtime_operation : tasks::work_item {
  using operation_state_concept = operation_state_tag;
  runtime_operation(tasks::scheduler& where, Receiver&& end) noexcept
      : tasks::work_item(&run_it), home(&where), to(static_cast<Receiver&&>(end)) {}
  runtime_operation(const runtime_operation&) = delete;
  runtime_operation& operator=(const runtime_operation&) = delete;
  ~runtime_operation() = default;

  void start() noexcept {
    if constexpr (answers<env_of_t<Receiver>, get_waiting_side_t>) {
      if (waiting_side* side = execution::get_env(to).query(get_waiting_side_t())) {
        start_task_for(*side, *home, *this);
        return;
      }
    }
    start_task(*home, *this);
  }

  static tasks::waiter* run_it(tasks::work_item& t) noexcept {
    auto& me = static_cast<runtime_operation&>(t);
    if constexpr (!unstoppable_token<stop_token_of_t<env_of_t<Receiver>>>) {
      if (get_stop_token(execution::get_env(me.to)).stop_requested()) {
        static_cast<Receiver&&>(me.to).set_stopped();
        return nullptr;
      }
    }
    static_cast<Receiver&&>(me.to).set_value();
    return nullptr;
  }

  tasks::scheduler* home;
  [[no_unique_address]] Receiver to;
};

struct [[nodiscard]] runtime_sender {
  using tag_type = schedule_t;
  using sender_concept = sender_tag;
  template <class Self, class... Env>
  static consteval auto get_completion_signatures() {
    if constexpr ((unstoppable_token<stop_token_of_t<Env>> && ... && (sizeof...(Env) != 0))) {
      return completion_signatures<set_value_t()>();
    } else {
      return completion_signatures<set_value_t(), set_stopped_t()>();
    }
  }
  template <class Receiver>
  auto connect(Receiver to) const noexcept {
    return runtime_operation<Receiver>(*home, static_cast<Receiver&&>(to));
  }
  [[nodiscard]] inline completes_on<runtime_scheduler> get_env() const noexcept;
  tasks::scheduler* home;
};

}  // namespace detail

/// Work becomes a task of a runtime, which must outlive it.
///
/// Cost:    no allocation; started by one of the runtime's own tasks, a push to its worker's deque.
/// Threads: any.
/// Example: tests/execution/schedulers_test.cpp: work_runs_on_a_worker.
class runtime_scheduler {
 public:
  using scheduler_concept = scheduler_tag;
  explicit runtime_scheduler(tasks::scheduler& home) noexcept : home_(&home) {}

  [[nodiscard]] detail::runtime_sender schedule() const noexcept { return {home_}; }
  [[nodiscard]] static constexpr forward_progress_guarantee query(
      get_forward_progress_guarantee_t /*key*/) noexcept {
    return forward_progress_guarantee::parallel;
  }
  friend bool operator==(const runtime_scheduler&, const runtime_scheduler&) noexcept = default;

 private:
  tasks::scheduler* home_;
};

inline detail::completes_on<runtime_scheduler> detail::runtime_sender::get_env() const noexcept {
  return {runtime_scheduler(*home)};
}

}  // namespace execution
}  // namespace weft
