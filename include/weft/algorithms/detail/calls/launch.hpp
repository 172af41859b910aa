// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a public algorithm to its body: at once, or later for `policy(as_future)` and
// `policy(as_sender)`.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/algorithms/executor.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/tasks/async.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/future_interface.hpp"
#include "weft/tasks/runtime_interface.hpp"

namespace weft::algorithms::detail {

template <class Call, class How, class... Args>
[[gnu::always_inline]] inline auto run_in_scope(const How& how, Args&&... args) {
  if constexpr (How::template has<terminate_on_exception_t>) {
    return [&]() noexcept { return Call::run(how, std::forward<Args>(args)...); }();
  } else {
    return Call::run(how, std::forward<Args>(args)...);
  }
}

/// `Call::run(how, args...)`; what it throws ends the process if the policy says so.
template <class Call, class How, class... Args>
[[gnu::always_inline]] inline auto run_now(const How& how, Args&&... args) {
  // An executor may want to know for how long the caller takes part; a range form's algorithm says.
  if constexpr (!requires { Call::runs_an_algorithm; } && requires { how.executor().scope(); }) {
    [[maybe_unused]] const auto taking_part = how.executor().scope();
    return run_in_scope<Call>(how, std::forward<Args>(args)...);
  } else {
    return run_in_scope<Call>(how, std::forward<Args>(args)...);
  }
}

/// The runtime's scheduler. Errors: `weft::error` in a fork of the process that started it.
[[nodiscard]] tasks::scheduler& home_of(const runtime_executor& executor);

/// `f()` as a task of the executor's runtime.
template <class F>
auto start_on(const runtime_executor& executor, F&& f) {
  tasks::scheduler& home = home_of(executor);
  if (tasks::scheduler_here() == &home) {
    return async(std::forward<F>(f));
  }
  auto* const block =
      tasks::make_block<tasks::detail::bound_block<F>>(tasks::self(), std::forward<F>(f));
  tasks::inject(home, *block);
  return tasks::future_access::make<tasks::result_of<F>>(block);
}

/// By the executor itself if it starts tasks; else as one of the calling task's runtime, or of the
/// default one.
template <class Executor, class F>
auto start_on(const Executor& executor, F&& f) {
  if constexpr (requires {
                  executor.scope();
                  executor.inner();
                }) {
    return start_on(executor.inner(), std::forward<F>(f));  // the call's scope counts
  } else if constexpr (requires { executor.async_execute(std::forward<F>(f)); }) {
    return executor.async_execute(std::forward<F>(f));
  } else {
    return async(std::forward<F>(f));
  }
}

template <class Call, class How, class... Args>
auto launch_later(const How& how, Args&&... args) {
  return start_on(
      how.executor(),
      [how, kept = std::tuple<std::decay_t<Args>...>(std::forward<Args>(args)...)]() mutable {
        return std::apply([&how](auto&... each) { return run_now<Call>(how, std::move(each)...); },
                          kept);
      });
}

/// Makes senders of calls: weft/algorithms/as_sender.hpp.
template <class How>
struct sender_maker;

/// Calls `Call::run(how, args...)` as `policy` says: here, without copies, or as a task or a sender
/// that owns copies of `args`.
template <class Call, class Policy, class... Args>
[[gnu::always_inline]] inline auto launch(const Policy& policy, Args&&... args) {
  using how_type = resolved_policy<Policy>;
  const how_type& how = policy_traits<Policy>::resolve(policy);
  if constexpr (how_type::is_sender) {
    static_assert(
        requires { sizeof(sender_maker<how_type>); },
        "policy(as_sender): include weft/algorithms/as_sender.hpp");
    return sender_maker<how_type>::template make<Call>(how, std::forward<Args>(args)...);
  } else if constexpr (how_type::is_future) {
    return launch_later<Call>(how, std::forward<Args>(args)...);
  } else {
    return run_now<Call>(how, std::forward<Args>(args)...);
  }
}

}  // namespace weft::algorithms::detail
