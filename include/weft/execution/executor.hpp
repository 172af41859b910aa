// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The concept of an executor, and the functions that run calls on one.
#pragma once

#include <concepts>
#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <ranges>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/execution/executor_concept.hpp"  // IWYU pragma: export
#include "weft/tasks/future.hpp"
#include "weft/tasks/future_interface.hpp"
#include "weft/tasks/packaged_task.hpp"
#include "weft/tasks/post.hpp"

namespace weft::execution {

/// The shape of a bulk function: a number n, or a range. A number means calls with the indices 0 to
/// n-1; a range means one call per element.
template <class S>
concept bulk_shape = std::integral<std::remove_cvref_t<S>> || std::ranges::forward_range<const S>;

namespace detail {

template <class Shape>
[[nodiscard]] std::size_t size_of(const Shape& shape) {
  if constexpr (std::integral<Shape>) {
    if constexpr (std::signed_integral<Shape>) {
      return shape > 0 ? static_cast<std::size_t>(shape) : 0;
    } else {
      return static_cast<std::size_t>(shape);
    }
  } else {
    return static_cast<std::size_t>(std::ranges::distance(shape));
  }
}

/// The arguments of the calls, by their number.
template <class Shape>
class shape_elements {
 public:
  explicit shape_elements(const Shape& shape) {
    if constexpr (!std::ranges::random_access_range<const Shape>) {
      for (auto it = std::ranges::begin(shape); it != std::ranges::end(shape); ++it) {
        places_.push_back(it);
      }
    } else {
      first_ = std::ranges::begin(shape);
    }
  }
  [[nodiscard]] decltype(auto) operator[](std::size_t i) const {
    if constexpr (!std::ranges::random_access_range<const Shape>) {
      return *places_[i];
    } else {
      return first_[static_cast<std::ranges::range_difference_t<const Shape>>(i)];
    }
  }

 private:
  using iterator = std::ranges::iterator_t<const Shape>;
  struct nothing {};
  std::conditional_t<std::ranges::random_access_range<const Shape>, iterator, nothing> first_;
  std::vector<iterator> places_;
};
template <std::integral Shape>
class shape_elements<Shape> {
 public:
  explicit shape_elements(const Shape& /*shape*/) noexcept {}
  [[nodiscard]] Shape operator[](std::size_t i) const noexcept { return static_cast<Shape>(i); }
};

template <class Shape>
using element_of = std::remove_cvref_t<decltype(std::declval<shape_elements<Shape>>()[0])>;

template <class F, class... Args>
using result_of = std::invoke_result_t<std::decay_t<F>&, Args...>;

/// The results of the calls of a bulk function, together.
template <class R>
using results_of = std::conditional_t<std::is_void_v<R>, void, std::vector<std::decay_t<R>>>;

/// Calls `run(n, body)`, which calls `body(i)` for every i below n, with a body that keeps what
/// `call(i)` returns; returns all that.
template <class R, class Run, class Call>
results_of<R> collect(std::size_t n, Run&& run, Call&& call) {
  if constexpr (std::is_void_v<R>) {
    run(n, call);
  } else {
    using value = std::decay_t<R>;
    std::vector<std::optional<value>> slots(n);
    const auto keep = [&](std::size_t i) { slots[i].emplace(call(i)); };
    run(n, keep);
    std::vector<value> results;
    results.reserve(n);
    for (std::optional<value>& slot : slots) {
      results.push_back(*std::move(slot));  // NOLINT(bugprone-unchecked-optional-access): all ran
    }
    return results;
  }
}

/// The call of `f` with the element of number i, and what follows it.
template <class F, class Elements, class... Args>
[[nodiscard]] auto numbered_call(F& f, const Elements& elements, Args&... args) {
  return [&](std::size_t i) -> decltype(auto) { return std::invoke(f, elements[i], args...); };
}

/// Calls `start(i)` for every i below n and waits for the futures that it returns.
/// Errors: the first that a future holds; else what `start` throws, once all before have ended.
template <class Start>
void call_all(std::size_t n, Start&& start) {
  std::vector<future<void>> all;
  all.reserve(n);
  std::exception_ptr refused;
  try {
    for (std::size_t i = 0; i < n; ++i) {
      all.push_back(start(i));
    }
  } catch (...) {
    refused = std::current_exception();
  }
  for (const auto& each : all) {
    try {
      each.wait();
    } catch (...) {  // no stack to wait on: the calls use the caller's frame all the same
      refused = std::current_exception();
      while (!each.is_ready()) {
        std::this_thread::yield();
      }
    }
  }
  for (auto& each : all) {
    each.get();
  }
  if (refused != nullptr) {
    std::rethrow_exception(std::move(refused));
  }
}

}  // namespace detail

/// The function object `post(executor, f, args...)`.
struct post_t {
  template <executor E, class F, class... Args>
    requires std::invocable<std::decay_t<F>, std::decay_t<Args>...>
  void operator()(E&& where, F&& f, Args&&... args) const {
    if constexpr (requires { where.post(std::forward<F>(f), std::forward<Args>(args)...); }) {
      where.post(std::forward<F>(f), std::forward<Args>(args)...);
    } else {
      where.execute([call = tasks::bound_call<std::decay_t<F>, std::decay_t<Args>...>(
                         std::forward<F>(f), std::forward<Args>(args)...)]() mutable {
        static_cast<void>(std::move(call)());
      });
    }
  }
};

/// `async_execute(executor, f, args...)`: has copies called once; a future for the result.
struct async_execute_t {
  template <executor E, class F, class... Args>
    requires std::invocable<std::decay_t<F>, std::decay_t<Args>...>
  auto operator()(E&& where, F&& f, Args&&... args) const {
    if constexpr (requires {
                    where.async_execute(std::forward<F>(f), std::forward<Args>(args)...);
                  }) {
      return where.async_execute(std::forward<F>(f), std::forward<Args>(args)...);
    } else {
      using call_type = tasks::bound_call<std::decay_t<F>, std::decay_t<Args>...>;
      using result = tasks::result_of<F, Args...>;
      packaged_task<result()> work(
          [call = call_type(std::forward<F>(f), std::forward<Args>(args)...)]() mutable -> result {
            return std::move(call)();
          });
      future<result> ready = work.get_future();
      where.execute(std::move(work));
      return ready;
    }
  }
};
inline constexpr async_execute_t async_execute{};

/// `sync_execute(executor, f, args...)`: returns what the call returns, once it has.
struct sync_execute_t {
  template <executor E, class F, class... Args>
    requires std::invocable<F, Args...>
  decltype(auto) operator()(E&& where, F&& f, Args&&... args) const {
    if constexpr (requires {
                    where.sync_execute(std::forward<F>(f), std::forward<Args>(args)...);
                  }) {
      return where.sync_execute(std::forward<F>(f), std::forward<Args>(args)...);
    } else {
      return async_execute_t{}(where, std::forward<F>(f), std::forward<Args>(args)...).get();
    }
  }
};
inline constexpr sync_execute_t sync_execute{};

/// `then_execute(executor, f, future, args...)`: has `f(ready future, args...)` called there once
/// the future is ready; a future for the result, or for that of the future which `f` returns.
struct then_execute_t {
  template <executor E, class F, any_future Future, class... Args>
    requires std::invocable<std::decay_t<F>, std::remove_cvref_t<Future>, std::decay_t<Args>...>
  auto operator()(E&& where, F&& f, Future&& before, Args&&... args) const {
    if constexpr (requires {
                    where.then_execute(std::forward<F>(f),
                                       std::forward<Future>(before),
                                       std::forward<Args>(args)...);
                  }) {
      return where.then_execute(
          std::forward<F>(f), std::forward<Future>(before), std::forward<Args>(args)...);
    } else {
      using source = std::remove_cvref_t<Future>;
      source taken(std::forward<Future>(before));
      auto launched =
          taken.then(launch::sync,
                     [where = std::remove_cvref_t<E>(where),
                      f = std::decay_t<F>(std::forward<F>(f)),
                      kept = std::tuple<std::decay_t<Args>...>(std::forward<Args>(args)...)](
                         source ready) mutable {
                       return std::apply(
                           [&](auto&... each) {
                             return async_execute_t{}(
                                 where, std::move(f), std::move(ready), std::move(each)...);
                           },
                           kept);
                     });
      using value = typename decltype(launched)::value_type;
      if constexpr (any_future<value>) {
        return launched.then(launch::sync, [](decltype(launched) outer) { return outer.get(); });
      } else {
        return launched;
      }
    }
  }
};
inline constexpr then_execute_t then_execute{};

/// `bulk_async_execute(executor, f, shape, args...)`: `f(element, args...)` for every element of
/// the shape; a vector with a future for each.
struct bulk_async_execute_t {
  template <executor E, class F, bulk_shape Shape, class... Args>
    requires std::invocable<std::decay_t<F>&, detail::element_of<Shape>, std::decay_t<Args>&...>
  auto operator()(E&& where, F&& f, const Shape& shape, Args&&... args) const {
    if constexpr (requires { where.bulk_async_execute(f, shape, args...); }) {
      return where.bulk_async_execute(std::forward<F>(f), shape, std::forward<Args>(args)...);
    } else {
      using result = detail::result_of<F, detail::element_of<Shape>, std::decay_t<Args>&...>;
      std::vector<future<std::remove_cv_t<result>>> all;
      const std::size_t n = detail::size_of(shape);
      const detail::shape_elements<Shape> elements(shape);
      all.reserve(n);
      for (std::size_t i = 0; i < n; ++i) {
        all.push_back(async_execute_t{}(where, f, elements[i], args...));
      }
      return all;
    }
  }
};
inline constexpr bulk_async_execute_t bulk_async_execute{};

/// `bulk_sync_execute(executor, f, shape, args...)`: `f(element, args...)` for every element of the
/// shape; returns when all calls have ended: a vector of what they returned, in order, or nothing.
///
/// Errors:  the exception of the least element among those whose calls threw, once all have ended.
struct bulk_sync_execute_t {
  template <executor E, class F, bulk_shape Shape, class... Args>
    requires std::invocable<std::decay_t<F>&, detail::element_of<Shape>, std::decay_t<Args>&...>
  auto operator()(E&& where, F&& f, const Shape& shape, Args&&... args) const {
    using result = detail::result_of<F, detail::element_of<Shape>, std::decay_t<Args>&...>;
    if constexpr (requires { where.bulk_sync_execute(f, shape, args...); }) {
      return where.bulk_sync_execute(std::forward<F>(f), shape, std::forward<Args>(args)...);
    } else {
      const detail::shape_elements<Shape> elements(shape);
      const auto run = [&](std::size_t n, auto& body) {
        detail::call_all(n, [&](std::size_t i) {
          return async_execute_t{}(where, [&body, i] { static_cast<void>(body(i)); });
        });
      };
      return detail::collect<result>(
          detail::size_of(shape), run, detail::numbered_call(f, elements, args...));
    }
  }
};
inline constexpr bulk_sync_execute_t bulk_sync_execute{};

/// `bulk_then_execute(executor, f, shape, future, args...)`: once the future is ready,
/// `f(element, shared ready future, args...)` for every element of the shape; a future for what
/// `bulk_sync_execute` returns.
struct bulk_then_execute_t {
  template <executor E, class F, bulk_shape Shape, any_future Future, class... Args>
  auto operator()(E&& where, F&& f, const Shape& shape, Future&& before, Args&&... args) const {
    if constexpr (requires {
                    where.bulk_then_execute(f, shape, std::forward<Future>(before), args...);
                  }) {
      return where.bulk_then_execute(
          std::forward<F>(f), shape, std::forward<Future>(before), std::forward<Args>(args)...);
    } else {
      using value = typename std::remove_cvref_t<Future>::value_type;
      shared_future<value> shared(std::forward<Future>(before));
      return shared.then(launch::async,
                         [where = std::remove_cvref_t<E>(where),
                          f = std::decay_t<F>(std::forward<F>(f)),
                          shape,
                          kept = std::tuple<std::decay_t<Args>...>(std::forward<Args>(args)...)](
                             const shared_future<value>& ready) mutable {
                           return std::apply(
                               [&](auto&... each) {
                                 return bulk_sync_execute_t{}(where, f, shape, ready, each...);
                               },
                               kept);
                         });
    }
  }
};
inline constexpr bulk_then_execute_t bulk_then_execute{};

}  // namespace weft::execution

namespace weft {

/// Calls copies of `f` and `args` once on `where`, without a result.
///
/// Errors:  what `f` throws goes to the handler for posted tasks, or whatever the executor says.
/// Example: tests/execution/executor_test.cpp: two_members_make_an_executor.
template <execution::executor Executor, class F, class... Args>
  requires std::invocable<std::decay_t<F>, std::decay_t<Args>...>
void post(Executor&& where, F&& f, Args&&... args) {
  execution::post_t{}(where, std::forward<F>(f), std::forward<Args>(args)...);
}

namespace execution {
using weft::post;
}  // namespace execution
}  // namespace weft
