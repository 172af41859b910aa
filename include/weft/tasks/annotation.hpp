// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names for parts of tasks, as traces show them.
#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

namespace weft {

/// Names a part of the calling task in traces, until the end of the scope.
///
/// Cost:    without a trace a load and a branch; with one, two records and a look-up of the name.
/// Threads: any; it does nothing on threads that are not workers. It ends in the task that began
///          it, on any thread, and before annotations that were begun earlier.
/// Example: tests/traces/test_annotations.py
class [[nodiscard]] scoped_annotation {
 public:
  explicit scoped_annotation(std::string_view name) noexcept;
  scoped_annotation(const scoped_annotation&) = delete;
  scoped_annotation& operator=(const scoped_annotation&) = delete;
  ~scoped_annotation();

 private:
  bool is_recorded_;
};

/// A callable that is called under a name.
template <class F>
class annotated_callable {
 public:
  annotated_callable(F call, std::string name) : call_(std::move(call)), name_(std::move(name)) {}

  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  template <class... Args>
    requires std::invocable<F&, Args...>
  decltype(auto) operator()(Args&&... args) {
    const scoped_annotation named(name_);
    return std::invoke(call_, std::forward<Args>(args)...);
  }
  template <class... Args>
    requires std::invocable<const F&, Args...>
  decltype(auto) operator()(Args&&... args) const {
    const scoped_annotation named(name_);
    return std::invoke(call_, std::forward<Args>(args)...);
  }

 private:
  [[no_unique_address]] F call_;
  std::string name_;
};

/// A copy of `f` that has `name` in traces whenever it is called.
template <class F>
[[nodiscard]] annotated_callable<std::decay_t<F>> annotated_function(F&& f, std::string name) {
  return {std::forward<F>(f), std::move(name)};
}

}  // namespace weft
