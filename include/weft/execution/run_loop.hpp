// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A queue of work that the thread in `run` executes.
#pragma once

#include <atomic>
#include <cstdint>
#include <source_location>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/scheduler.hpp"
#include "weft/execution/sender.hpp"
#include "weft/execution/stop_token.hpp"

namespace weft::execution {

class run_loop;

namespace detail {

/// Work in the queue of a loop.
struct loop_item {
  using run_function = void (*)(loop_item& me) noexcept;
  explicit loop_item(run_function body) noexcept : run(body) {}
  run_function run;
  loop_item* next = nullptr;
};

template <class Receiver>
struct loop_operation : loop_item {
  using operation_state_concept = operation_state_tag;
  loop_operation(run_loop& where, Receiver&& end) noexcept
      : loop_item(&complete), loop(&where), to(static_cast<Receiver&&>(end)) {}
  loop_operation(const loop_operation&) = delete;
  loop_operation& operator=(const loop_operation&) = delete;
  ~loop_operation() = default;
  void start() noexcept;

  static void complete(loop_item& item) noexcept {
    auto& me = static_cast<loop_operation&>(item);
    if constexpr (!unstoppable_token<stop_token_of_t<env_of_t<Receiver>>>) {
      if (get_stop_token(execution::get_env(me.to)).stop_requested()) {
        static_cast<Receiver&&>(me.to).set_stopped();
        return;
      }
    }
    static_cast<Receiver&&>(me.to).set_value();
  }

  run_loop* loop;
  [[no_unique_address]] Receiver to;
};

}  // namespace detail

/// A queue of work. The thread that calls `run` executes it, in order, until `finish` is called.
///
/// Cost:    an atomic exchange per push; no allocation.
/// Threads: `run` by one task or thread at a time; a task that finds nothing to do is suspended, a
///          thread sleeps. All else from any.
/// Example: tests/execution/schedulers_test.cpp: runs_in_order.
class run_loop {
 public:
  class loop_scheduler;

  run_loop() noexcept = default;
  run_loop(const run_loop&) = delete;
  run_loop& operator=(const run_loop&) = delete;
  /// Ends the process by std::terminate if work is left, or if a thread is in `run`.
  ~run_loop();

  [[nodiscard]] loop_scheduler get_scheduler() noexcept;
  /// Does what is there and what comes, until there is nothing and `finish` was called.
  void run(const std::source_location& where = std::source_location::current());
  void finish() noexcept;

 private:
  template <class Receiver>
  friend struct detail::loop_operation;

  void push(detail::loop_item& item) noexcept;
  detail::loop_item* take_all() noexcept;
  void wait(const std::source_location& where);

  // Items, last first; or a waiter, with is_waiter. With `is_finished`, finish() was called.
  static constexpr std::uintptr_t is_finished = 1;
  static constexpr std::uintptr_t is_waiter = 2;
  static constexpr std::uintptr_t flags = 3;
  std::atomic<std::uintptr_t> word_{0};
  bool is_running_ = false;

 protected:
  [[nodiscard]] bool is_idle() const noexcept {
    // acquire: pairs with push() and finish()
    return word_.load(std::memory_order_acquire) == 0;
  }
};

namespace detail {

struct [[nodiscard]] loop_sender {
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
    return loop_operation<Receiver>(*loop, static_cast<Receiver&&>(to));
  }
  [[nodiscard]] completes_on<run_loop::loop_scheduler> get_env() const noexcept;
  run_loop* loop;
};

}  // namespace detail

/// Puts work into the queue of a loop, which must outlive it.
class run_loop::loop_scheduler {
 public:
  using scheduler_concept = scheduler_tag;
  explicit loop_scheduler(run_loop& loop) noexcept : loop_(&loop) {}
  [[nodiscard]] detail::loop_sender schedule() const noexcept { return {loop_}; }
  [[nodiscard]] static constexpr forward_progress_guarantee query(
      get_forward_progress_guarantee_t /*key*/) noexcept {
    return forward_progress_guarantee::parallel;
  }
  friend bool operator==(const loop_scheduler&, const loop_scheduler&) noexcept = default;

 private:
  run_loop* loop_;
};

inline run_loop::loop_scheduler run_loop::get_scheduler() noexcept { return loop_scheduler(*this); }

namespace detail {

inline completes_on<run_loop::loop_scheduler> loop_sender::get_env() const noexcept {
  return {run_loop::loop_scheduler(*loop)};
}

template <class Receiver>
void loop_operation<Receiver>::start() noexcept {
  loop->push(*this);
}

}  // namespace detail
}  // namespace weft::execution
