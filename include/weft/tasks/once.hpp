// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code that runs once, whichever caller comes first.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <source_location>
#include <utility>

#include "weft/tasks/mutex.hpp"

namespace weft {

/// Remembers whether `call_once` has run something.
class once_flag {
 public:
  constexpr once_flag() noexcept = default;
  once_flag(const once_flag&) = delete;
  once_flag& operator=(const once_flag&) = delete;
  ~once_flag() = default;

 private:
  template <class F, class... Args>
  friend void call_once(once_flag& flag, F&& f, Args&&... args);

  std::atomic<bool> is_done_{false};
  mutex running_;
};

/// Calls `f(args...)` unless a call with the same flag has returned already; other callers are
/// suspended until that call returns.
///
/// Cost:    one load when it is done.
/// Errors:  rethrows what `f` throws; then the next caller tries. `weft::error` if `f` calls itself
///          through the same flag.
/// Example: tests/tasks/once_test.cpp: runs_once.
template <class F, class... Args>
void call_once(once_flag& flag, F&& f, Args&&... args) {
  // acquire: pairs with the release below
  if (flag.is_done_.load(std::memory_order_acquire)) {
    return;
  }
  const std::lock_guard guard(flag.running_);
  if (!flag.is_done_.load(std::memory_order_relaxed)) {
    std::invoke(std::forward<F>(f), std::forward<Args>(args)...);
    flag.is_done_.store(true, std::memory_order_release);
  }
}

}  // namespace weft
