// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting for a moment: senders that complete when it has come.
#pragma once

#include <chrono>
#include <optional>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/continues_on.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/scheduler.hpp"
#include "weft/execution/stop_token.hpp"
#include "weft/tasks/alarm.hpp"
#include "weft/tasks/runtime_types.hpp"

namespace weft {

namespace execution {
namespace detail {

/// An alarm that is the task to be run when it rings.
class sleep_base : tasks::work_item, tasks::alarm {
 public:
  sleep_base(const sleep_base&) = delete;
  sleep_base& operator=(const sleep_base&) = delete;

 protected:
  explicit sleep_base(run_function run_it) noexcept;
  ~sleep_base() = default;

  static sleep_base& of(tasks::work_item& t) noexcept { return static_cast<sleep_base&>(t); }
  /// False: it was cancelled before, and will not be run.
  [[nodiscard]] bool begin(tasks::time_point limit) noexcept;
  void cancel() noexcept;
  /// To be called where it is run. True: its time has come; false: it was cancelled.
  [[nodiscard]] bool end() noexcept;

 private:
  tasks::scheduler* home_ = nullptr;
};

template <class Moment, class Receiver>
class sleep_operation : sleep_base {
  using token_type = stop_token_of_t<env_of_t<Receiver>>;
  struct cancel_it {
    void operator()() const noexcept { owner->cancel(); }
    sleep_operation* owner;
  };

 public:
  using operation_state_concept = operation_state_tag;
  sleep_operation(const Moment& moment, Receiver&& to) noexcept
      : sleep_base(&run_it), moment_(moment), to_(static_cast<Receiver&&>(to)) {}

  void start() noexcept {
    // First: once it has begun, it may be over.
    on_stop_.emplace(get_stop_token(execution::get_env(to_)), cancel_it{this});
    if (!begin(moment_.deadline())) {
      on_stop_.reset();
      stop();
    }
  }

 private:
  static tasks::waiter* run_it(tasks::work_item& t) noexcept {
    auto& me = static_cast<sleep_operation&>(of(t));
    const bool is_time = me.end();
    me.on_stop_.reset();
    if (is_time) {
      static_cast<Receiver&&>(me.to_).set_value();
    } else {
      me.stop();
    }
    return nullptr;
  }
  void stop() noexcept {
    if constexpr (!unstoppable_token<token_type>) {
      static_cast<Receiver&&>(to_).set_stopped();
    }
  }

  Moment moment_;
  Receiver to_;
  std::optional<stop_callback_for_t<token_type, cancel_it>> on_stop_;
};

/// The end of a time that begins when the operation is started.
template <class Duration>
struct after_time {
  [[nodiscard]] tasks::time_point deadline() const noexcept {
    return tasks::deadline_after(duration);
  }
  Duration duration;
};
template <class TimePoint>
struct at_time {
  [[nodiscard]] tasks::time_point deadline() const noexcept { return tasks::deadline_at(moment); }
  TimePoint moment;
};

template <class Moment>
struct [[nodiscard]] sleep_sender {
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
    return sleep_operation<Moment, Receiver>(moment, static_cast<Receiver&&>(to));
  }
  Moment moment;
};

}  // namespace detail

/// `sleep_for(duration)` is a sender that completes with nothing when the time, which begins as it
/// is started, is over. It completes stopped when a stop is requested before. In a coroutine:
/// `co_await weft::sleep_for(10ms)`. `sleep_for(scheduler, duration)` completes on the scheduler,
/// else on a worker of the runtime whose worker started it, or of the default runtime.
///
/// Cost:    no allocation and no thread; O(log n) in the number of timed waits.
/// Threads: any. `this_task::sleep_for` is the function that returns when the time is over.
/// Errors:  std::system_error if the timer's thread cannot be started.
/// Example: tests/execution/waiting_test.cpp: a_coroutine_sleeps.
struct sleep_for_t {
  template <class Rep, class Period>
  auto operator()(const std::chrono::duration<Rep, Period>& duration) const {
    using moment = detail::after_time<std::chrono::duration<Rep, Period>>;
    tasks::start_timer();
    return detail::sleep_sender<moment>{{duration}};
  }
  template <scheduler Scheduler, class Rep, class Period>
  auto operator()(Scheduler&& scheduler, const std::chrono::duration<Rep, Period>& duration) const {
    return continues_on((*this)(duration), static_cast<Scheduler&&>(scheduler));
  }
};
inline constexpr sleep_for_t sleep_for{};

/// As `sleep_for`, until a moment. A clock that is not std::chrono::steady_clock is read once, as
/// the operation is started.
struct sleep_until_t {
  template <class Clock, class Duration>
  auto operator()(const std::chrono::time_point<Clock, Duration>& limit) const {
    using moment = detail::at_time<std::chrono::time_point<Clock, Duration>>;
    tasks::start_timer();
    return detail::sleep_sender<moment>{{limit}};
  }
  template <scheduler Scheduler, class Clock, class Duration>
  auto operator()(Scheduler&& scheduler,
                  const std::chrono::time_point<Clock, Duration>& limit) const {
    return continues_on((*this)(limit), static_cast<Scheduler&&>(scheduler));
  }
};
inline constexpr sleep_until_t sleep_until{};

}  // namespace execution

using execution::sleep_for;
using execution::sleep_until;

}  // namespace weft
