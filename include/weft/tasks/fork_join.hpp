// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs several callables, in parallel if a worker has time, at the cost of a function call if not.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <source_location>
#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/tasks/detail/scheduler/forked.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"

namespace weft {
namespace tasks::detail {

/// Ends a fork whose first part threw: what was forked is dropped or waited for, and forgotten.
template <class F>
[[gnu::noinline, gnu::cold]] void drop_forked(forked<F>& other,
                                              split_deque::slot* place,
                                              const wait_reason& why) {
  if (!take_back_or_wait(other, place, why)) {
    try {
      other.take();
    } catch (...) {  // NOLINT(bugprone-empty-catch): the first exception in program order goes on
    }
  }
}

/// Runs `other`, which was taken back, and whose turn it is to be timed.
template <class F>
[[gnu::noinline, gnu::cold]] forked_value<F> call_timed(forked<F>& other) {
  run_timed(*self(), other, run_kind::called);
  return other.take();
}

template <class F>
[[gnu::noinline]] forked_value<F> join_slowly(forked<F>& other,
                                              split_deque::slot* place,
                                              split_deque::claiming begun,
                                              const wait_reason& why) {
  const bool is_mine = begun == split_deque::claiming::asked && self()->tasks.confirm_top(place);
  if (!is_mine && !take_back_or_wait(other, place, why)) {
    return other.take();
  }
  return self()->clock.count() ? call_timed(other) : call_forked(*other.body);
}

/// Takes `other`, which stands for `last`, back and runs it, or waits for the thief that took it.
template <class F>
[[gnu::always_inline]] inline forked_value<F> join_forked(F& last,
                                                          forked<F>& other,
                                                          split_deque::slot* place,
                                                          const std::source_location& where) {
  worker* now = self();
  const split_deque::claiming begun = now->tasks.begin_claim(other, place);
  if (begun == split_deque::claiming::mine) [[likely]] {
    if (now->clock.count()) [[unlikely]] {
      return call_timed(other);
    }
    return call_forked(last);
  }
  const wait_reason why{"fork_join", &other, where};
  return join_slowly(other, place, begun, why);
}

/// The results of the first parts in their order. An aggregate, since each of its members is made
/// where it stays, one after the other.
template <class Before, class Value>
struct results_with {
  Before before;
  Value value;
};
struct no_results {};

/// Moves each result once: no tuple can be made of parts that are computed one after the other.
template <class Before, class Value, class... Later>
[[gnu::always_inline]] inline auto as_tuple(results_with<Before, Value>& results, Later&... later) {
  if constexpr (std::is_same_v<Before, no_results>) {
    return std::tuple<Value, Later...>(std::move(results.value), std::move(later)...);
  } else {
    return as_tuple(results.before, results.value, later...);
  }
}

/// Runs the first `count` of `parts`: the last is offered to others while those before it run here.
template <std::size_t count, class... F>
[[gnu::always_inline]] inline auto fork_first(worker* w,
                                              const std::tuple<F&...>& parts,
                                              const std::source_location& where) {
  auto& last = std::get<count - 1>(parts);
  using last_type = std::remove_reference_t<decltype(last)>;
  using value_type = forked_value<last_type>;
  if constexpr (count == 1) {
    return results_with<no_results, value_type>{{}, call_forked(last)};
  } else {
    forked<last_type> other(last);
    split_deque::slot* place = start_here(*w, other);
    const auto run_before = [&] {
      try {
        return fork_first<count - 1>(w, parts, where);
      } catch (...) {
        const wait_reason why{"fork_join", &other, where};
        drop_forked(other, place, why);
        throw;
      }
    };
    return results_with<decltype(run_before()), value_type>{run_before(),
                                                            join_forked(last, other, place, where)};
  }
}

/// Runs `body` on a stack with room, or as a task if the calling thread is not a worker.
template <class Body>
[[gnu::noinline, gnu::cold]] auto call_elsewhere(worker* w, Body body) {
  if (w == nullptr) {
    forked<Body> root(body, from_outside());
    run_visiting_or_wait(current_scheduler(), root);
    return root.take();
  }
  std::optional<forked_value<Body>> result;
  auto store = [&] { result.emplace(call_forked(body)); };
  call_on_another_stack(
      *w, [](void* context) { (*static_cast<decltype(store)*>(context))(); }, &store);
  // NOLINTNEXTLINE(bugprone-unchecked-optional-access): set, or the call has thrown
  return *std::move(result);
}

template <class... F>
[[gnu::always_inline]] inline auto fork_all(const std::source_location& where, F&... parts) {
  worker* w = self();
  if (w == nullptr || is_short_of_stack(*w)) [[unlikely]] {
    return call_elsewhere(w, [&] {
      auto results = fork_first<sizeof...(F)>(self(), std::tuple<F&...>(parts...), where);
      return as_tuple(results);
    });
  }
  auto results = fork_first<sizeof...(F)>(w, std::tuple<F&...>(parts...), where);
  return as_tuple(results);
}

/// The results, or nothing if none of `parts` returns anything.
template <class... F>
[[gnu::always_inline]] inline auto fork_results(const std::source_location& where, F&... parts) {
  if constexpr ((std::is_void_v<std::invoke_result_t<F&>> && ...)) {
    fork_all(where, parts...);
  } else {
    return fork_all(where, parts...);
  }
}

}  // namespace tasks::detail

/// Runs `first` here and `second` here or on another worker, and returns both results when both are
/// done: `auto [x, y] = weft::fork_join(f, g)`.
///
/// If `second` is not stolen, it runs after `first` as a plain call. A result of type void is
/// std::monostate; if both are void, nothing is returned.
/// Cost:    about ten instructions more than the two calls; no allocation, no fence, no atomic
///          read-modify-write unless `second` is taken by another worker.
/// Threads: from any. A thread that is not a worker of the default runtime takes the place of a
///          sleeping worker until both have ended. If none sleeps, the thread waits. The calling
///          task may continue on another OS thread.
/// Errors:  the first exception in program order is rethrown after both have ended. If `first`
///          throws, a `second` that was not stolen does not run. std::bad_alloc; then neither runs.
/// Example: tests/tasks/fork_join_test.cpp: returns_both_results.
template <std::invocable First, std::invocable Second>
[[gnu::always_inline]] inline auto fork_join(
    First&& first,
    Second&& second,
    const std::source_location& where = std::source_location::current()) {
  return tasks::detail::fork_results(where, first, second);
}

/// Runs three or more callables as the form for two does: each is offered to other workers while
/// those before it run.
///
/// Errors:  as above; if a part throws, later parts that were not stolen do not run.
/// Example: tests/tasks/fork_join_test.cpp: returns_results_of_many_in_order.
// Spelled out for three and four, since no default argument, which alone knows the caller's line,
// can follow a pack.
template <std::invocable First, std::invocable Second, std::invocable Third>
[[gnu::always_inline]] inline auto fork_join(
    First&& first,
    Second&& second,
    Third&& third,
    const std::source_location& where = std::source_location::current()) {
  return tasks::detail::fork_results(where, first, second, third);
}
template <std::invocable First, std::invocable Second, std::invocable Third, std::invocable Fourth>
[[gnu::always_inline]] inline auto fork_join(
    First&& first,
    Second&& second,
    Third&& third,
    Fourth&& fourth,
    const std::source_location& where = std::source_location::current()) {
  return tasks::detail::fork_results(where, first, second, third, fourth);
}
/// Five or more: a report of tasks that wait names the types of the callables, which say where they
/// are, instead of the calling line.
template <std::invocable First, std::invocable Second, std::invocable... Others>
  requires(sizeof...(Others) > 2)
[[gnu::always_inline]] inline auto fork_join(First&& first, Second&& second, Others&&... others) {
  return tasks::detail::fork_results(std::source_location::current(), first, second, others...);
}

}  // namespace weft
