// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task that begins when all futures among its arguments are ready.
#pragma once

#include <concepts>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/tasks/detail/futures/gate.hpp"

namespace weft {

namespace tasks::detail {

template <class Arg>
std::decay_t<Arg> own_argument(Arg&& arg) {
  if constexpr (any_future<Arg>) {
    return own_future(arg);
  } else if constexpr (range_of_futures<Arg> && std::is_lvalue_reference_v<Arg> &&
                       std::movable<std::remove_cvref_t<Arg>> &&
                       !std::ranges::view<std::decay_t<Arg>>) {
    return own_futures(arg);
  } else {
    return std::forward<Arg>(arg);
  }
}

template <class F, class... Args>
using dataflow_value = typename unwrapped<result_of<F, Args...>>::type;

/// Waits for the futures among its arguments, in the deferred form.
template <class Call>
struct deferred_dataflow : Call {
  using Call::Call;
  auto operator()() && {
    auto wait = [](auto& each) { each.wait(); };
    for_each_future(this->args, wait);
    using returned = decltype(std::declval<Call>()());
    if constexpr (is_future<std::remove_cvref_t<returned>>::value) {
      return static_cast<Call&&>(*this)().get();
    } else {
      return static_cast<Call&&>(*this)();
    }
  }
};

template <class F, class... Args>
future<dataflow_value<F, Args...>> dataflow_as(launch policy, F&& f, Args&&... args) {
  using value_type = dataflow_value<F, Args...>;
  using body_type = bound_call<std::decay_t<F>, std::decay_t<Args>...>;
  (require_all_valid(args), ...);
  if (policy == launch::deferred) {
    auto* block = make_block<task_block<value_type, deferred_dataflow<body_type>>>(
        self(), std::forward<F>(f), own_argument(std::forward<Args>(args))...);
    block->done.store(future_state::unstarted, std::memory_order_relaxed);
    return future_access::make<value_type>(block);
  }
  using gate_type = gate<count_of_futures<std::tuple<std::decay_t<Args>...>>()>;
  using block_type = continuation_block<value_type, body_type, gate_type>;
  auto* block = make_block<block_type>(
      self(), policy, std::forward<F>(f), own_argument(std::forward<Args>(args))...);
  try {
    block->reserve(block->body.args);
  } catch (...) {
    block->discard();
    throw;
  }
  future<value_type> result = future_access::make<value_type>(block);
  if (block->open(block->body.args, *block)) {
    block->begin_here();
  }
  return result;
}

template <class F, class... Args>
auto refuse_dataflow() {
  static_assert(std::is_invocable_v<std::decay_t<F>, std::decay_t<Args>...>,
                "weft::dataflow: the function cannot be called with these arguments, whose futures "
                "it gets when they are ready; to take their values, pass weft::unwrapping(f) of "
                "weft/tasks/unwrapping.hpp");
  return refused<std::decay_t<F>, std::decay_t<Args>...>();
}

}  // namespace tasks::detail

/// Calls `f(args...)` when all futures in `args` are ready, including those in ranges and tuples.
/// `f` gets the ready futures, or their values if it is `unwrapping(g)`. Returns a future for the
/// result of `f`; if that is a future, for its value.
///
/// Futures are moved in, lvalues too; shared futures are copied. Futures behind `std::ref` stay
/// where they are; keep them there until the call. `policy` is as for `then`.
/// Errors:  `future_error` (no_state) if a future is not valid. What `f` throws is for the returned
///          future's owner.
/// Example: tests/tasks/dataflow_test.cpp: calls_when_all_arguments_are_ready.
template <class F, class... Args>
  requires std::invocable<std::decay_t<F>, std::decay_t<Args>...>
auto dataflow(launch policy, F&& f, Args&&... args) {
  return tasks::detail::dataflow_as(policy, std::forward<F>(f), std::forward<Args>(args)...);
}
template <class F, class... Args>
  requires std::invocable<std::decay_t<F>, std::decay_t<Args>...>
auto dataflow(F&& f, Args&&... args) {
  return tasks::detail::dataflow_as(launch::async, std::forward<F>(f), std::forward<Args>(args)...);
}

/// An error with a message of its own.
template <class F, class... Args>
  requires(!std::invocable<std::decay_t<F>, std::decay_t<Args>...>)
auto dataflow(launch /*policy*/, F&& /*f*/, Args&&... /*args*/) {
  return tasks::detail::refuse_dataflow<F, Args...>();
}
template <class F, class... Args>
  requires(!std::invocable<std::decay_t<F>, std::decay_t<Args>...> &&
           !std::convertible_to<F, launch>)
auto dataflow(F&& /*f*/, Args&&... /*args*/) {
  return tasks::detail::refuse_dataflow<F, Args...>();
}

}  // namespace weft
