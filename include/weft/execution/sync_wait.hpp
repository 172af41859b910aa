// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waits for what a sender sends: a task is suspended meanwhile, a thread sleeps.
#pragma once

#include <atomic>
#include <exception>
#include <optional>
#include <source_location>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/detail/as_exception_ptr.hpp"
#include "weft/execution/domain.hpp"
#include "weft/execution/into_variant.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/run_loop.hpp"
#include "weft/execution/runtime_scheduler.hpp"
#include "weft/execution/sender.hpp"

namespace weft {
namespace execution {
namespace detail {

/// The loop of a waiting thread or task. Before the wait begins, the last task that the awaited
/// operation has queued on this worker can be taken back and run as a call.
class waiting_side : public run_loop {
 public:
  /// Registers the waiter. Call it before the operation is started.
  waiting_side() noexcept;
  /// Returns when `finish` was called. Whose operation still runs cannot leave by an exception: a
  /// deadlock that is raised ends the process by std::terminate.
  void wait_until_finished(const std::source_location& where) noexcept;
  /// True for code that runs on the stack that waits, which does not wait yet.
  [[nodiscard]] bool is_at_work(const void* current_identity) const noexcept {
    // relaxed: only that stack writes it, and others only learn that they are not it
    return at_work_.load(std::memory_order_relaxed) == current_identity;
  }
  /// The scheduler of this loop, for what may need the loop to go on. From now on nothing is taken
  /// back: it might wait for what is queued here, on the stack that would run it.
  [[nodiscard]] run_loop::loop_scheduler share_scheduler() noexcept {
    // relaxed: a hint. The waiting stack sees everything that is published before `start` returns.
    is_shared_.store(true, std::memory_order_relaxed);
    return get_scheduler();
  }
  void offer(tasks::work_item& t, void* place) noexcept {
    offered_ = &t;
    place_ = place;
  }

 private:
  bool run_offered() noexcept;

  std::atomic<bool> is_shared_{false};
  std::atomic<const void*> at_work_;  // the identity of the task while it may take others back
  tasks::work_item* offered_ = nullptr;
  void* place_ = nullptr;
};

struct sync_wait_env {
  using forwards_all = void;
  [[nodiscard]] run_loop::loop_scheduler query(get_scheduler_t /*key*/) const noexcept {
    return side->share_scheduler();
  }
  [[nodiscard]] run_loop::loop_scheduler query(get_start_scheduler_t /*key*/) const noexcept {
    return side->share_scheduler();
  }
  [[nodiscard]] run_loop::loop_scheduler query(get_delegation_scheduler_t /*key*/) const noexcept {
    return side->share_scheduler();
  }
  [[nodiscard]] waiting_side* query(get_waiting_side_t /*key*/) const noexcept { return side; }
  waiting_side* side;
};

[[noreturn]] void throw_error_of_sender(std::exception_ptr error);

/// Aligned, so that a small result shares the cache line with the word that announces it: a waiting
/// core fetches both at once.
template <class Result>
struct alignas(64) sync_wait_state {
  waiting_side side;
  std::exception_ptr error;
  std::optional<Result> result;
};

template <class Result>
struct sync_wait_receiver {
  using receiver_concept = receiver_tag;
  template <class... Values>
  void set_value(Values&&... values) noexcept {
    try {
      state->result.emplace(static_cast<Values&&>(values)...);
    } catch (...) {
      state->error = std::current_exception();
    }
    state->side.finish();
  }
  template <class Error>
  void set_error(Error&& error) noexcept {
    state->error = as_exception_ptr(static_cast<Error&&>(error));
    state->side.finish();
  }
  void set_stopped() noexcept { state->side.finish(); }
  [[nodiscard]] sync_wait_env get_env() const noexcept { return sync_wait_env{&state->side}; }
  sync_wait_state<Result>* state;
};

template <class Sender>
using values_waited_for =
    signatures_of_tag<set_value_t, completion_signatures_of_t<Sender, sync_wait_env>>;

template <class List>
struct waited_result;
template <class... Values>
struct waited_result<completion_signatures<set_value_t(Values...)>>
    : identity<std::tuple<std::decay_t<Values>...>> {};
template <>
struct waited_result<completion_signatures<>> : identity<std::tuple<>> {};

template <class Sender>
constexpr bool check_sync_wait() {
  static_assert(sender_in<Sender, sync_wait_env>,
                "weft::execution::sync_wait: this is no sender, or its completions cannot be told "
                "in the environment of sync_wait");
  static_assert(num_signatures<values_waited_for<Sender>> <= 1,
                "weft::execution::sync_wait: the sender may complete with several kinds of values "
                "(set_value_t); use sync_wait_with_variant, or into_variant before it");
  return true;
}

template <class Result, class Sender>
std::optional<Result> wait_for(Sender&& sender, const std::source_location& where) {
  sync_wait_state<Result> state;
  using receiver = sync_wait_receiver<Result>;
  static_assert(can_receive_all<Sender, receiver>());
  auto operation = connect(static_cast<Sender&&>(sender), receiver{&state});
  operation.start();
  state.side.wait_until_finished(where);
  if (state.error) [[unlikely]] {
    throw_error_of_sender(std::move(state.error));
  }
  return std::move(state.result);
}

}  // namespace detail

/// Starts a sender, waits, and returns the values that it sends, as a tuple; nothing if it was
/// stopped.
///
/// Cost:    no allocation. If a task waits, work that the sender schedules on the task's runtime
///          runs as a call. Exceptions are stolen work and senders that send work back to the task.
/// Threads: from any. A task is suspended, never its worker; a thread that is not a worker sleeps.
/// Errors:  throws the sender's error: what a std::exception_ptr holds, std::system_error for a
///          std::error_code, else the error itself. Where a deadlock is raised
///          (deadlock_action::raise), the process ends by std::terminate: the operation refers to
///          the frame that the exception would leave.
/// Example: tests/execution/schedulers_test.cpp: returns_what_was_sent.
struct sync_wait_t {
  template <sender Sender>
  auto operator()(Sender&& sender,
                  const std::source_location& where = std::source_location::current()) const {
    using domain = detail::completion_domain_of<std::remove_cvref_t<Sender>, detail::sync_wait_env>;
    if constexpr (requires(Sender&& s, const sync_wait_t& me) {
                    domain().apply_sender(me, static_cast<Sender&&>(s));
                  }) {
      return apply_sender(domain(), *this, static_cast<Sender&&>(sender));
    } else {
      return wait(static_cast<Sender&&>(sender), where);
    }
  }

 private:
  template <class Sender>
  static auto wait(Sender&& sender, const std::source_location& where) {
    static_assert(detail::check_sync_wait<Sender>());
    using result = typename detail::waited_result<detail::values_waited_for<Sender>>::type;
    return detail::wait_for<result>(static_cast<Sender&&>(sender), where);
  }

 public:
  /// An error with a message of its own.
  template <class Sender>
    requires(!sender<Sender&> && sender<Sender>)
  void operator()(Sender& /*sender*/) const {
    static_assert(!sender<Sender>,
                  "weft::execution::sync_wait: the sender can only be moved; pass it by std::move");
  }
};

/// As `sync_wait`, for senders of several kinds of values: returns a variant of tuples.
struct sync_wait_with_variant_t {
  template <sender Sender>
  auto operator()(Sender&& sender,
                  const std::source_location& where = std::source_location::current()) const {
    using result = detail::variant_of_values<Sender, detail::sync_wait_env>;
    std::optional<std::tuple<result>> sent =
        detail::wait_for<std::tuple<result>>(into_variant(static_cast<Sender&&>(sender)), where);
    return sent ? std::optional<result>(std::get<0>(*std::move(sent))) : std::optional<result>();
  }
};

inline constexpr sync_wait_t sync_wait{};
inline constexpr sync_wait_with_variant_t sync_wait_with_variant{};

}  // namespace execution

namespace this_thread {
using execution::sync_wait;
using execution::sync_wait_with_variant;
}  // namespace this_thread
}  // namespace weft
