// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Futures made of other futures, and of calls by other code.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <hpx/compat/launch.hpp>
#include <hpx/tuple.hpp>

#include "weft/execution/async.hpp"
#include "weft/execution/executor.hpp"
#include "weft/tasks/futures.hpp"
#include "weft/tasks/post.hpp"

namespace hpx {

namespace traits {

template <class T>
struct is_future : weft::tasks::detail::is_future<std::remove_cv_t<T>> {};
template <class T>
inline constexpr bool is_future_v = is_future<T>::value;
/// The result of a future.
template <weft::any_future Future>
struct future_traits {
  using type = typename std::remove_cvref_t<Future>::value_type;
  using result_type = decltype(std::declval<std::remove_cvref_t<Future>&>().get());
};

}  // namespace traits

/// The same future with its result as an R: converted, by `convert(value)` if that is given, or
/// forgotten if R is void. A shared future gives a shared one, and stays valid.
template <class R, class U>
weft::future<R> make_future(weft::future<U>&& source) {
  if constexpr (std::is_same_v<R, U>) {
    return std::move(source);
  } else if constexpr (std::is_void_v<R>) {
    return weft::future<void>(std::move(source));
  } else {
    static_assert(std::convertible_to<U, R>,
                  "hpx::make_future: the result does not convert; give a function that does");
    return source.then(weft::launch::sync, [](weft::future<U> f) -> R { return f.get(); });
  }
}
template <class R, class U, std::invocable<U> Convert>
weft::future<R> make_future(weft::future<U>&& source, Convert&& convert) {
  return source.then(weft::launch::sync,
                     [call = std::forward<Convert>(convert)](weft::future<U> f) mutable -> R {
                       return std::invoke(call, f.get());
                     });
}
template <class R, class U>
weft::shared_future<R> make_future(const weft::shared_future<U>& source) {
  if constexpr (std::is_same_v<R, U>) {
    return source;
  } else if constexpr (std::is_void_v<R>) {
    return weft::shared_future<void>(source);
  } else {
    return source.then(weft::launch::sync,
                       [](const weft::shared_future<U>& f) -> R { return f.get(); });
  }
}
template <class R, class U, std::invocable<const U&> Convert>
weft::shared_future<R> make_future(const weft::shared_future<U>& source, Convert&& convert) {
  return source.then(
      weft::launch::sync,
      [call = std::forward<Convert>(convert)](const weft::shared_future<U>& f) mutable -> R {
        return std::invoke(call, f.get());
      });
}

/// A shared future of what a future or a shared one gives.
template <class T>
weft::shared_future<T> make_shared_future(weft::future<T>&& source) {
  return source.share();
}
template <class T>
weft::shared_future<T> make_shared_future(const weft::shared_future<T>& source) {
  return source;
}

namespace futures {

/// A future for `f(value)`, or for `f()` of a future of nothing.
template <weft::any_future Future, class F>
auto transform(Future&& source, F&& f) {
  using source_type = std::remove_cvref_t<Future>;
  return std::forward<Future>(source).then(
      // NOLINTNEXTLINE(performance-unnecessary-value-param): one that is no shared one is used up
      [call = std::forward<F>(f)](source_type ready) mutable -> decltype(auto) {
        if constexpr (std::is_void_v<typename source_type::value_type>) {
          ready.get();
          return std::invoke(call);
        } else {
          return std::invoke(call, ready.get());
        }
      });
}
/// As `source.then(f)`.
template <weft::any_future Future, class F>
auto and_then(Future&& source, F&& f) {
  return std::forward<Future>(source).then(std::forward<F>(f));
}
/// A future for the value, or for what `f(exception_ptr)` or `f()` returns if there is none.
template <weft::any_future Future, class F>
auto or_else(Future&& source, F&& f) {
  using source_type = std::remove_cvref_t<Future>;
  using value_type = typename source_type::value_type;
  return std::forward<Future>(source).then(
      [call = std::forward<F>(f)](source_type ready) mutable -> value_type {
        try {
          return ready.get();
        } catch (...) {
          if constexpr (std::is_invocable_v<F&, std::exception_ptr>) {
            return std::invoke(call, std::current_exception());
          } else {
            return std::invoke(call);
          }
        }
      });
}

}  // namespace futures

/// Futures for the parts of a tuple, pair or array, in one of these. One that has no parts gives a
/// future of nothing, which is ready when it is.
template <class... Parts>
auto split_future(weft::future<std::tuple<Parts...>>&& whole) {
  if constexpr (sizeof...(Parts) == 0) {
    return std::tuple<weft::future<void>>(weft::future<void>(std::move(whole)));
  } else {
    return weft::split_future(std::move(whole));
  }
}
template <class First, class Second>
std::pair<weft::future<First>, weft::future<Second>> split_future(
    weft::future<std::pair<First, Second>>&& whole) {
  return std::apply(
      [](auto first, auto second) { return std::pair(std::move(first), std::move(second)); },
      weft::split_future(std::move(whole)));
}
template <class Part, std::size_t size>
auto split_future(weft::future<std::array<Part, size>>&& whole) {
  if constexpr (size == 0) {
    return std::array<weft::future<void>, 1>{weft::future<void>(std::move(whole))};
  } else {
    return std::apply(
        [](auto&&... parts) {
          return std::array<weft::future<Part>, size>{std::forward<decltype(parts)>(parts)...};
        },
        weft::split_future(std::move(whole)));
  }
}
/// Futures for the first `num_parts` elements of a vector.
template <class Part>
std::vector<weft::future<Part>> split_future(weft::future<std::vector<Part>>&& whole,
                                             std::size_t num_parts) {
  return weft::split_future(std::move(whole), num_parts);
}
/// The same of copies of what a shared future gives.
template <class Whole, class... NumParts>
auto split_future(const weft::shared_future<Whole>& whole, NumParts... num_parts) {
  return hpx::split_future(
      whole.then(weft::launch::sync,
                 [](const weft::shared_future<Whole>& f) -> Whole { return f.get(); }),
      num_parts...);
}

namespace lcos::local {

template <class Signature, bool can_be_cancelled = false>
class futures_factory;

/// A call and the future of its result; the call is made when and where `post` says.
///
/// One that is destroyed without having been posted or called fails its future (broken_promise).
template <class R, bool can_be_cancelled>
class futures_factory<R(), can_be_cancelled> {
  static_assert(!can_be_cancelled,
                "hpx::lcos::local::futures_factory: weft's tasks cannot be cancelled from outside; "
                "give the function an hpx::stop_token");

 public:
  futures_factory() noexcept = default;
  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, futures_factory> &&
             std::is_invocable_r_v<R, std::decay_t<F>&>)
  explicit futures_factory(F&& f)
      : task_(std::make_shared<weft::packaged_task<R()>>(std::forward<F>(f))) {}
  futures_factory(futures_factory&&) noexcept = default;
  futures_factory& operator=(futures_factory&&) noexcept = default;
  ~futures_factory() = default;

  [[nodiscard]] bool valid() const noexcept { return task_ != nullptr; }
  explicit operator bool() const noexcept { return valid(); }

  /// Errors:  `hpx::exception`: future_already_retrieved the second time; no_state without a call.
  [[nodiscard]] weft::future<R> get_future() const { return task().get_future(); }

  /// Calls here.
  void operator()() const { task()(); }
  /// Calls as a task; `launch::sync` calls here. A task of an executor: give that.
  void post(weft::launch how = weft::launch::async) const {
    if (how == weft::launch::sync) {
      (*this)();
    } else {
      require_task();
      weft::post([task = task_] { (*task)(); });
    }
  }
  template <weft::execution::executor Executor>
  void post(const Executor& where) const {
    require_task();
    weft::post(where, [task = task_] { (*task)(); });
  }

 private:
  void require_task() const {
    if (task_ == nullptr) {
      weft::tasks::detail::throw_future_error(weft::future_errc::no_state);
    }
  }
  weft::packaged_task<R()>& task() const {
    require_task();
    return *task_;
  }

  std::shared_ptr<weft::packaged_task<R()>> task_;
};

}  // namespace lcos::local
}  // namespace hpx
