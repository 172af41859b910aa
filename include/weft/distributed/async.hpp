// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of functions on other ranks.
#pragma once

#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/distributed/detail/call.hpp"
#include "weft/distributed/detail/callee.hpp"
#include "weft/distributed/detail/engine.hpp"
#include "weft/distributed/locality.hpp"
#include "weft/tasks/dataflow.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/unwrapping.hpp"

namespace weft::distributed {

namespace detail {

/// The arguments as they are sent to `Callee`, all of which can be.
template <class Callee, class... Args>
struct checked_call {
  using arguments =
      typename sent_types<typename Callee::parameters, std::tuple<std::decay_t<Args>...>>::type;
  template <class Tuple>
  struct are;
  template <class... Sent>
  struct are<std::tuple<Sent...>> {
    static constexpr bool callable = Callee::template is_callable<Sent...>;
    static constexpr bool convertible =
        sizeof...(Sent) == sizeof...(Args) && std::is_constructible_v<std::tuple<Sent...>, Args...>;
  };
  static consteval bool check() {
    static_assert(are<arguments>::callable && are<arguments>::convertible,
                  "weft::distributed: the function cannot be called with these arguments, which "
                  "it gets as values of their own: parameters are values, const& or &&");
    return sendable<arguments>::check();
  }
};

template <class Callee, class... Args>
using target_for = plain_target<Callee, typename checked_call<Callee, Args...>::arguments>;

template <class Callee, class... Args>
auto call_on(engine& home, locality where, Args&&... args) {
  if constexpr (checked_call<Callee, Args...>::check()) {
    using target = target_for<Callee, Args...>;
    if constexpr (check_result<typename target::result>()) {
      return start_call<target>(
          home, where.rank(), typename target::arguments(std::forward<Args>(args)...));
    }
  }
}

template <class Callee, class... Args>
void post_to(locality where, Args&&... args) {
  if constexpr (checked_call<Callee, Args...>::check()) {
    using target = target_for<Callee, Args...>;
    start_post<target>(
        engine::current(), where.rank(), typename target::arguments(std::forward<Args>(args)...));
  }
}

template <class L>
consteval bool check_captureless() {
  static_assert(!std::is_class_v<L> || captureless<L>,
                "weft::distributed: a lambda that captures cannot be called on another rank: pass "
                "what it captures as arguments");
  static_assert(std::is_class_v<L>,
                "weft::distributed: write async<&f>(where, args...) for a function: a pointer's "
                "value means nothing in another process");
  return captureless<L>;
}

}  // namespace detail

/// Calls `f(args...)` as a task on `where`; returns a future for what `f` returns, or for what the
/// future that `f` returns gives.
///
/// `f` is a function or a lambda without captures. On another rank `f` gets copies of the
/// arguments, converted to the types of its parameters. On the calling rank the arguments are moved
/// into the task. Calls of one rank to another start in any order. Functions that read and write
/// the arguments for a message, and the arguments' destructors, must not wait.
/// Cost:    on another rank two messages and a task; data of more than
///          `runtime_options::part_threshold_bytes` in contiguous memory is not copied.
/// Threads: any.
/// Errors:  `weft::error` if there is no such rank. The future has what `f` throws, see
///          `remote_origin`, or a `weft::error` with `errc::invalid_data` if the arguments or the
///          result could not be read.
/// Example: tests/distributed/calls_test.cpp: a_function_is_called_on_another_rank.
template <auto f, class... Args>
[[nodiscard]] auto async(locality where, Args&&... args) {
  return detail::call_on<detail::function_callee<f>>(
      detail::engine::current(), where, std::forward<Args>(args)...);
}
template <class F, class... Args>
[[nodiscard]] auto async(locality where, F /*f*/, Args&&... args) {
  if constexpr (detail::check_captureless<F>()) {
    return detail::call_on<detail::lambda_callee<F>>(
        detail::engine::current(), where, std::forward<Args>(args)...);
  }
}

/// As `async`, but without an answer: what `f` returns is dropped, and what it throws goes to the
/// handler of `weft::set_escaped_exception_handler` there.
///
/// Small messages to one rank are gathered while earlier ones are on their way. A caller that is
/// more than 4 MiB ahead of the transport waits, unless its thread receives messages at this
/// moment. Posts that have arrived wait as tasks in the receiver's memory, without a bound. If a
/// program can post faster than the receiver works, it must limit itself. For example, it can wait
/// for an `async` call after every thousand posts.
/// Example: tests/distributed/calls_test.cpp: posts_are_done_when_all_is_quiescent.
template <auto f, class... Args>
void post(locality where, Args&&... args) {
  detail::post_to<detail::function_callee<f>>(where, std::forward<Args>(args)...);
}
template <class F, class... Args>
void post(locality where, F /*f*/, Args&&... args) {
  if constexpr (detail::check_captureless<F>()) {
    detail::post_to<detail::lambda_callee<F>>(where, std::forward<Args>(args)...);
  }
}

/// Calls `f(args...)` on every locality of a range; returns the futures in its order.
/// Cost:    a call for each.
/// Example: tests/distributed/calls_test.cpp: a_broadcast_asks_every_rank.
template <auto f, std::ranges::input_range Range, class... Args>
[[nodiscard]] auto broadcast_async(Range&& where, const Args&... args) {
  using answer = decltype(async<f>(locality(0), args...));
  std::vector<answer> answers;
  for (const locality each : where) {
    answers.push_back(async<f>(each, args...));
  }
  return answers;
}

/// Calls `f` on `where` once all futures in `args` are ready, with their values.
///
/// Futures are moved in. If one of them failed, `f` is not called and the result fails with that.
/// They must be ready before the `runtime` ends; `quiescence` does not wait for them.
/// Example: tests/distributed/calls_test.cpp: dataflow_waits_for_its_arguments.
template <auto f, class... Args>
[[nodiscard]] auto dataflow(locality where, Args&&... args) {
  detail::engine& home = detail::engine::current();
  home.require_rank(where.rank());
  return weft::dataflow(weft::unwrapping([&home, where](auto&&... values) {
                          return detail::call_on<detail::function_callee<f>>(
                              home, where, std::move(values)...);
                        }),
                        std::forward<Args>(args)...);
}

}  // namespace weft::distributed
