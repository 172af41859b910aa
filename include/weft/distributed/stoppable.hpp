// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of other ranks that the calling rank may ask to stop.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "weft/distributed/archive.hpp"
#include "weft/distributed/async.hpp"
#include "weft/distributed/detail/call.hpp"
#include "weft/distributed/detail/callee.hpp"
#include "weft/distributed/detail/engine.hpp"
#include "weft/distributed/locality.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/launch.hpp"
#include "weft/tasks/promise.hpp"
#include "weft/tasks/runtime_interface.hpp"
#include "weft/tasks/stop_token.hpp"
#include "weft/tasks/task_group.hpp"

namespace weft::distributed {

namespace detail {

/// The exception of a call that was stopped: one object, which senders know.
[[nodiscard]] const std::exception_ptr& stopped_call() noexcept;
[[nodiscard]] std::uint64_t next_stop_number(engine& home) noexcept;

/// A stop token as an argument. On another rank it is a new token, found by the number of the call.
/// The token is listed when the message is read, so a request that follows the message finds it.
class stop_link {
 public:
  stop_link() = default;
  stop_link(stop_token token, std::int32_t caller, std::uint64_t number)
      : token_(std::move(token)), caller_(caller), number_(number) {}
  stop_link(stop_link&& other) noexcept
      : token_(std::move(other.token_)),
        caller_(other.caller_),
        number_(other.number_),
        listed_(std::exchange(other.listed_, nullptr)) {}
  stop_link& operator=(stop_link&&) = delete;
  ~stop_link();

  [[nodiscard]] const stop_token& token() const noexcept { return token_; }
  void save(output_archive& to) const { to(caller_, number_); }
  void load(input_archive& from);

 private:
  stop_token token_;
  std::int32_t caller_ = -1;
  std::uint64_t number_ = 0;
  engine* listed_ = nullptr;  // where the token is found
};

/// Asks a call on `rank` to stop.
class stop_request {
 public:
  stop_request(engine& home, int rank, std::uint64_t number) noexcept
      : home_(&home), rank_(rank), number_(number) {}
  void operator()() const noexcept;

 private:
  engine* home_;
  int rank_;
  std::uint64_t number_;
};

template <class F>
[[gnu::noinline]] decltype(auto) call_apart(F& call) {
  return call();
}
/// Calls as a task of `group` does. See `tasks::task_scope`.
template <class F>
[[gnu::noinline, gnu::no_sanitize_address]] decltype(auto) call_in_group(task_group& group,
                                                                         F& call) {
  const tasks::task_scope scope(&group);
  return call_apart(call);
}

/// `Inner` with a stop token: the code that it calls belongs to a task group, which is canceled.
template <class Inner, class Arguments = typename Inner::arguments>
struct stoppable_target;
template <class Inner, class... Args>
struct stoppable_target<Inner, std::tuple<Args...>> {
  using arguments = std::tuple<stop_link, Args...>;
  using result = typename Inner::result;
  static result call(engine& home, stop_link&& stop, Args&&... args) {
    if (stop.token().stop_requested()) {
      std::rethrow_exception(stopped_call());
    }
    std::tuple<Args&...> all(args...);
    task_group group;
    const stop_callback forward(stop.token(), [&group]() noexcept { group.cancel(); });
    auto inner = [&]() -> result { return run_target<Inner>(home, all); };
    return call_in_group(group, inner);
  }
};

/// As `start_call`, until `token` asks to stop.
template <class Inner>
future<typename Inner::result> start_stoppable(engine& home,
                                               int rank,
                                               const stop_token& token,
                                               typename Inner::arguments&& args) {
  using result = typename Inner::result;
  home.require_rank(rank);
  if (token.stop_requested()) {
    return make_exceptional_future<result>(stopped_call());
  }
  const std::uint64_t number = next_stop_number(home);
  auto answer = start_call<stoppable_target<Inner>>(
      home,
      rank,
      std::tuple_cat(std::tuple<stop_link>(stop_link(token, home.rank(), number)),
                     std::move(args)));
  if (home.is_local(rank)) {
    return answer;
  }
  // made after the call is sent, so that the request follows it
  auto asking =
      std::make_unique<stop_callback<stop_request>>(token, stop_request(home, rank, number));
  return std::move(answer).then(
      launch::sync,
      [call = local_call(home), asking = std::move(asking)](future<result> done) mutable {
        asking.reset();
        return done.get();
      });
}

}  // namespace detail

/// A rank on which calls are made until a token asks to stop.
class stoppable_at {
 public:
  stoppable_at(locality where, stop_token token) noexcept
      : where_(where), token_(std::move(token)) {}
  [[nodiscard]] locality where() const noexcept { return where_; }
  [[nodiscard]] const stop_token& token() const noexcept { return token_; }

 private:
  locality where_;
  stop_token token_;
};

/// Makes the place of a call that `token` may stop: `async<&f>(stoppable(where, token), args...)`.
///
/// There, `this_task::stop_requested()` and `this_task::get_stop_token()` tell that a stop was
/// requested; task groups within the call are canceled. Callbacks of that token must not wait: the
/// thread that receives messages calls them. A call that has not begun does not begin:
/// its future has `execution::operation_stopped`. One that runs ends as it likes, with a result if
/// the request comes too late.
/// Cost:    a second message per request; two allocations per call.
/// Example: tests/distributed/stoppable_test.cpp: a_running_call_sees_the_request.
[[nodiscard]] inline stoppable_at stoppable(locality where, stop_token token) noexcept {
  return {where, std::move(token)};
}

namespace detail {

template <class Callee, class... Args>
auto stoppable_call_on(const stoppable_at& where, Args&&... args) {
  if constexpr (checked_call<Callee, Args...>::check()) {
    using target = target_for<Callee, Args...>;
    if constexpr (check_result<typename target::result>()) {
      return start_stoppable<target>(engine::current(),
                                     where.where().rank(),
                                     where.token(),
                                     typename target::arguments(std::forward<Args>(args)...));
    }
  }
}

}  // namespace detail

/// As `async(locality, ...)`, until the token asks to stop.
template <auto f, class... Args>
[[nodiscard]] auto async(const stoppable_at& where, Args&&... args) {
  return detail::stoppable_call_on<detail::function_callee<f>>(where, std::forward<Args>(args)...);
}
template <class F, class... Args>
[[nodiscard]] auto async(const stoppable_at& where, F /*f*/, Args&&... args) {
  if constexpr (detail::check_captureless<F>()) {
    return detail::stoppable_call_on<detail::lambda_callee<F>>(where, std::forward<Args>(args)...);
  }
}

}  // namespace weft::distributed
