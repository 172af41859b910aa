// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An executor whose calls have a name in traces.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#include "weft/execution/executor.hpp"
#include "weft/tasks/annotation.hpp"
#include "weft/tasks/future.hpp"

namespace weft::execution {

namespace detail {

template <class Inner>
struct named_scope {
  scoped_annotation named;
  Inner inner;
};

}  // namespace detail

/// Has calls run by `Executor`, each under a name; see `weft::scoped_annotation`.
///
/// Example: tests/execution/executor_test.cpp: annotating_passes_everything_on.
template <executor Executor>
class annotating_executor {
 public:
  annotating_executor(Executor inner, std::string name)
      : inner_(std::move(inner)), name_(std::move(name)) {}

  friend bool operator==(const annotating_executor&, const annotating_executor&) = default;

  [[nodiscard]] const std::string& annotation() const noexcept { return name_; }
  [[nodiscard]] const Executor& inner() const noexcept { return inner_; }
  [[nodiscard]] std::size_t num_workers() const {
    return static_cast<std::size_t>(inner_.num_workers());
  }

  template <std::invocable F>
  void execute(F&& f) const {
    inner_.execute(named(std::forward<F>(f)));
  }
  template <std::invocable F>
  bool try_execute(F&& f) const {
    if constexpr (requires { inner_.try_execute(named(std::forward<F>(f))); }) {
      return inner_.try_execute(named(std::forward<F>(f)));
    } else {
      inner_.execute(named(std::forward<F>(f)));
      return true;
    }
  }
  /// Names what the caller does for an algorithm, for as long as this lives.
  [[nodiscard]] auto scope() const {
    if constexpr (requires { inner_.scope(); }) {
      return detail::named_scope<decltype(inner_.scope())>{scoped_annotation(name_),
                                                           inner_.scope()};
    } else {
      return scoped_annotation(name_);
    }
  }

  template <class F, class... Args>
  void post(F&& f, Args&&... args) const {
    execution::post(inner_, named(std::forward<F>(f)), std::forward<Args>(args)...);
  }
  template <class F, class... Args>
  auto async_execute(F&& f, Args&&... args) const {
    return execution::async_execute(inner_, named(std::forward<F>(f)), std::forward<Args>(args)...);
  }
  template <class F, class... Args>
  decltype(auto) sync_execute(F&& f, Args&&... args) const {
    return execution::sync_execute(inner_, named(std::forward<F>(f)), std::forward<Args>(args)...);
  }
  template <class F, any_future Future, class... Args>
  auto then_execute(F&& f, Future&& before, Args&&... args) const {
    return execution::then_execute(inner_,
                                   named(std::forward<F>(f)),
                                   std::forward<Future>(before),
                                   std::forward<Args>(args)...);
  }
  template <class F, bulk_shape Shape, class... Args>
  auto bulk_async_execute(F&& f, const Shape& shape, Args&&... args) const {
    return execution::bulk_async_execute(
        inner_, named(std::forward<F>(f)), shape, std::forward<Args>(args)...);
  }
  template <class F, bulk_shape Shape, class... Args>
  auto bulk_sync_execute(F&& f, const Shape& shape, Args&&... args) const {
    return execution::bulk_sync_execute(
        inner_, named(std::forward<F>(f)), shape, std::forward<Args>(args)...);
  }

 private:
  template <class F>
  [[nodiscard]] auto named(F&& f) const {
    return annotated_function(std::forward<F>(f), name_);
  }

  Executor inner_;
  std::string name_;
};

}  // namespace weft::execution
