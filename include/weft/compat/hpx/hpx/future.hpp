// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Futures, and all that makes and joins them.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <exception>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include <hpx/barrier.hpp>
#include <hpx/compat/future_operations.hpp>  // IWYU pragma: export
#include <hpx/compat/launch.hpp>             // IWYU pragma: export
#include <hpx/compat/pack_traversal.hpp>     // IWYU pragma: export
#include <hpx/compat/tagged_executor.hpp>    // IWYU pragma: export
#include <hpx/compat/wait_for_futures.hpp>   // IWYU pragma: export
#include <hpx/config.hpp>
#include <hpx/exception.hpp>
#include <hpx/functional.hpp>
#include <hpx/latch.hpp>
#include <hpx/mutex.hpp>  // IWYU pragma: export
#include <hpx/tuple.hpp>

#include "weft/execution/async.hpp"
#include "weft/tasks/async.hpp"
#include "weft/tasks/coroutine_future.hpp"
#include "weft/tasks/futures.hpp"
#include "weft/tasks/latch.hpp"
#include "weft/tasks/this_task.hpp"

namespace hpx {

using weft::async;
using weft::dataflow;
using weft::future;
using weft::future_status;
using weft::make_exceptional_future;
using weft::packaged_task;
using weft::post;
using weft::promise;
using weft::shared_future;
using weft::sync;
using weft::when_any_result;
using weft::when_each;
using weft::when_some_result;

template <class F, class... Args>
  requires(!weft::execution::executor<F>) && std::invocable<F, Args...>
decltype(auto) sync(F&& f, Args&&... args) {
  return std::invoke(std::forward<F>(f), std::forward<Args>(args)...);
}

inline future<void> make_ready_future() { return weft::make_ready_future(); }
template <int unused = 0, class T>
auto make_ready_future(T&& value) {
  return weft::make_ready_future(std::forward<T>(value));
}
template <class T, class... Args>
  requires std::constructible_from<T, Args...> && (!std::is_reference_v<T>)
future<T> make_ready_future(Args&&... args) {
  return weft::make_ready_future<T>(std::in_place, std::forward<Args>(args)...);
}
template <class T>
  requires std::is_lvalue_reference_v<T>
future<T> make_ready_future(std::type_identity_t<T> referred) {
  return weft::make_ready_future(std::ref(referred));
}
template <std::same_as<void> T>
future<void> make_ready_future() {
  return weft::make_ready_future();
}

/// A future that is ready with `value` at that time.
template <int unused = 0, class Clock, class Duration, class T>
auto make_ready_future_at(const std::chrono::time_point<Clock, Duration>& when, T&& value) {
  using value_type = std::unwrap_ref_decay_t<T>;
  return weft::async(
      [when, value = std::decay_t<T>(std::forward<T>(value))]() mutable -> value_type {
        weft::this_task::sleep_until(when);
        return static_cast<value_type&&>(value);
      });
}
template <class T, class Clock, class Duration, class... Args>
  requires std::constructible_from<T, Args...>
future<T> make_ready_future_at(const std::chrono::time_point<Clock, Duration>& when,
                               Args&&... args) {
  return hpx::make_ready_future_at(when, T(std::forward<Args>(args)...));
}
template <class Clock, class Duration>
future<void> make_ready_future_at(const std::chrono::time_point<Clock, Duration>& when) {
  return weft::async([when] { weft::this_task::sleep_until(when); });
}
/// A future that is ready with `value` after that time.
template <int unused = 0, class Rep, class Period, class T>
auto make_ready_future_after(const std::chrono::duration<Rep, Period>& delay, T&& value) {
  return hpx::make_ready_future_at(std::chrono::steady_clock::now() + delay,
                                   std::forward<T>(value));
}
template <class T, class Rep, class Period, class... Args>
  requires std::constructible_from<T, Args...>
future<T> make_ready_future_after(const std::chrono::duration<Rep, Period>& delay, Args&&... args) {
  return hpx::make_ready_future_at(std::chrono::steady_clock::now() + delay,
                                   T(std::forward<Args>(args)...));
}
template <class Rep, class Period>
future<void> make_ready_future_after(const std::chrono::duration<Rep, Period>& delay) {
  return hpx::make_ready_future_at(std::chrono::steady_clock::now() + delay);
}

}  // namespace hpx

#include <hpx/channel.hpp>  // IWYU pragma: export
