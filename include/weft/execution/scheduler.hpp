// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedulers: where work runs.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/sender.hpp"

namespace weft::execution {

/// A sender that completes on a scheduler, with nothing.
struct schedule_t {
  template <class Scheduler>
    requires requires(Scheduler&& scheduler) {
      { static_cast<Scheduler&&>(scheduler).schedule() } -> sender;
    }
  constexpr auto operator()(Scheduler&& scheduler) const
      noexcept(noexcept(static_cast<Scheduler&&>(scheduler).schedule())) {
    return static_cast<Scheduler&&>(scheduler).schedule();
  }
};
inline constexpr schedule_t schedule{};

/// A type that names a place where work runs: a pool, a loop, the calling thread.
template <class Scheduler>
concept scheduler =
    std::derived_from<typename std::remove_cvref_t<Scheduler>::scheduler_concept, scheduler_tag> &&
    queryable<Scheduler> &&
    requires(Scheduler&& s) {
      { schedule(static_cast<Scheduler&&>(s)) } -> sender;
      { get_forward_progress_guarantee(s) } noexcept -> std::same_as<forward_progress_guarantee>;
    } && std::equality_comparable<std::remove_cvref_t<Scheduler>> &&
    std::copyable<std::remove_cvref_t<Scheduler>>;

/// The sender that `schedule` makes.
template <scheduler Scheduler>
using schedule_result_t = decltype(schedule(std::declval<Scheduler>()));

namespace detail {

/// The scheduler on which a child sends its values, if that is known.
template <class Child, class Env>
concept knows_where = requires(const std::remove_cvref_t<Child>& child, const Env& env) {
  get_completion_scheduler<set_value_t>(get_env(child), env);
};

/// An environment for work that is started without a known scheduler.
template <class Env>
struct unplaced_env {
  using forwards_all = void;
  template <forwarded_query Query, class... Args>
    requires(!std::same_as<Query, get_start_scheduler_t> && answers<Env, Query, Args...>)
  constexpr decltype(auto) query(Query query, Args&&... args) const noexcept {
    return base.query(query, static_cast<Args&&>(args)...);
  }
  [[no_unique_address]] Env base;
};

/// The environment for what starts where `child` completes.
template <class Child, class Env>
constexpr auto env_after(const Child& child, Env&& env) noexcept {
  if constexpr (knows_where<Child, std::remove_cvref_t<Env>>) {
    auto scheduler = get_completion_scheduler<set_value_t>(get_env(child), env);
    return scheduled_env<decltype(scheduler), std::remove_cvref_t<Env>>{std::move(scheduler),
                                                                        static_cast<Env&&>(env)};
  } else if constexpr (answers<std::remove_cvref_t<Env>, get_start_scheduler_t>) {
    // `child` may complete elsewhere than it is started.
    return unplaced_env<std::remove_cvref_t<Env>>{static_cast<Env&&>(env)};
  } else {
    return forward_env(static_cast<Env&&>(env));
  }
}

}  // namespace detail
}  // namespace weft::execution
