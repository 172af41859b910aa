// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Access from futures to their states and back, for functions that make or combine futures.
#pragma once

#include <source_location>
#include <type_traits>
#include <utility>

#include "weft/tasks/detail/futures/future_block.hpp"
#include "weft/tasks/future_error.hpp"
#include "weft/tasks/launch.hpp"

namespace weft::execution {
struct then_execute_t;
}

namespace weft {

template <class T>
class future;
template <class T>
class shared_future;

namespace tasks::detail {

[[noreturn]] void throw_future_error(future_errc code);

/// Gives up a future's share of a state when destroyed, unless the share was passed on.
template <class T>
class state_owner {
 public:
  explicit state_owner(result_state<T>* state) noexcept : state_(state) {}
  state_owner(const state_owner&) = delete;
  state_owner& operator=(const state_owner&) = delete;
  ~state_owner() { abandon(*state_); }

 private:
  result_state<T>* state_;
};

struct future_access {
  template <class T>
  static future<T> make(result_state<T>* state) noexcept {
    return future<T>(state);
  }
  template <class Future>
  static auto* state_of(const Future& f) noexcept {
    return f.state_;
  }
  template <class Future>
  static auto* release(Future& f) noexcept {
    return std::exchange(f.state_, nullptr);
  }
};

/// Errors: `weft::error`, and the future still owns `state`.
[[gnu::noinline]] inline void wait_before_get(future_state& state,
                                              const std::source_location& where) {
  wait_until_final(state, wait_reason{"future", &state, where});
}

/// Runs `state`, which the caller has claimed and counted, and which is to be timed or has no room
/// to run here.
/// Errors:  as `wait_before_get`.
[[gnu::noinline, gnu::cold]] inline void run_before_get(future_state& state,
                                                        bool is_timed,
                                                        const std::source_location& where) {
  run_here(state, is_timed);
  wait_until_final(state, wait_reason{"future", &state, where});
}

/// Returns the result of a final state, which no longer exists afterwards.
template <class T>
[[gnu::noinline]] T take_result(result_state<T>* state) {
  struct last_owner {
    explicit last_owner(result_state<T>& of) noexcept : ended(of) {}
    last_owner(const last_owner&) = delete;
    last_owner& operator=(const last_owner&) = delete;
    ~last_owner() {
      if (future_state* const next = ended.ops->drop(ended)) {
        abandon(*next);
      }
    }
    result_state<T>& ended;
  };
  const last_owner owner(*state);
  return state->take();
}

template <class T>
struct is_future : std::false_type {};
template <class T>
struct is_future<future<T>> : std::true_type {};
template <class T>
struct is_future<shared_future<T>> : std::true_type {};

/// The result type of a continuation: the value type of a returned future, or else the return type.
template <class T>
struct unwrapped {
  using type = T;
};
template <class T>
struct unwrapped<future<T>> {
  using type = T;
};
template <class T>
struct unwrapped<shared_future<T>> {
  using type = T;
};

/// The value type of the future that `then(f)` of a `Source` returns.
template <class F, class Source>
using continuation_value =
    typename unwrapped<std::remove_cv_t<std::invoke_result_t<std::decay_t<F>, Source>>>::type;

/// The return type of a call that has been reported as an error: a function that takes values, but
/// is given futures.
template <class Arg>
struct value_or_argument : std::type_identity<Arg> {};
template <class Arg>
  requires is_future<Arg>::value
struct value_or_argument<Arg> : std::type_identity<typename Arg::value_type> {};
template <class F, class... Values>
struct refused_result : std::type_identity<future<void>> {};
template <class F, class... Values>
  requires std::is_invocable_v<F, Values...>
struct refused_result<F, Values...>
    : std::type_identity<future<std::remove_cv_t<std::invoke_result_t<F, Values...>>>> {};
template <class F, class... Args>
using refused = typename refused_result<F, typename value_or_argument<Args>::type...>::type;

// `auto`: otherwise clang reports the error last, and without the line that caused it.
template <class F, class Source>
auto refuse_continuation() {
  static_assert(std::is_invocable_v<std::decay_t<F>, Source>,
                "weft::future::then: the function must take the ready future; to take its value, "
                "pass weft::unwrapping(f) of weft/tasks/unwrapping.hpp");
  return refused<std::decay_t<F>, Source>();
}

/// Arranges that `f` is called with `source` when that is ready, as `policy` says.
template <class Source, class F>
future<continuation_value<F, Source>> continue_with(launch policy, Source source, F&& f);

/// The function that `then(executor, f)` calls, defined in weft/execution/executor.hpp.
template <class F>
using then_execute_on =
    typename std::enable_if<!std::is_void_v<F>, execution::then_execute_t>::type;
template <class F>
constexpr bool check_executors() {
  static_assert(
      requires { sizeof(then_execute_on<F>); },
      "weft::future::then: to go on on an executor, include weft/execution/executor.hpp");
  return true;
}

}  // namespace tasks::detail

}  // namespace weft
