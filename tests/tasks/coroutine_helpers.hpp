// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Awaitables that truly suspend, for tests of coroutines.
#pragma once

#include <coroutine>
#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "weft/tasks/detail/futures/coroutine_promise.hpp"
#include "weft/tasks/runtime.hpp"

#include "tasks/stacks/stack_sanitizers.hpp"  // NOLINT(misc-include-cleaner): WEFT_TSAN
#include "tasks/with_workers.hpp"

namespace weft::test {

#if defined(WEFT_TSAN)
inline constexpr long large_count = 100'000;  // it follows each call, and takes its time
#else
inline constexpr long large_count = 200'000;  // two calls for a tenth of it fill a task's stack
#endif

/// Suspends the coroutine; any worker resumes it.
struct migrate {
  static bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<> awaiting) {
    tasks::detail::queue_surely(again.emplace(awaiting, nullptr));
  }
  static void await_resume() noexcept {}

  std::optional<tasks::detail::queued_resume> again = std::nullopt;
};

/// Resumes the coroutine from within `await_suspend`, on top of the stack that it leaves.
struct resume_at_once {
  static bool await_ready() noexcept { return false; }
  static std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) noexcept {
    return awaiting;
  }
  static void await_resume() noexcept {}
};

/// Coroutines wait here until there are `expected` of them; the last one resumes all others.
class gate {
 public:
  explicit gate(std::size_t expected) : expected_(expected) { waiting_.reserve(expected); }

  auto pass() noexcept {
    struct awaiter {
      gate& at;
      static bool await_ready() noexcept { return false; }
      bool await_suspend(std::coroutine_handle<> awaiting) { return at.enter(awaiting); }
      static void await_resume() noexcept {}
    };
    return awaiter{*this};
  }

 private:
  bool enter(std::coroutine_handle<> awaiting) {
    std::vector<std::coroutine_handle<>> all;
    {
      const std::lock_guard guard(mutex_);
      if (waiting_.size() + 1 < expected_) {
        waiting_.push_back(awaiting);
        return true;
      }
      all = std::move(waiting_);
    }
    for (const std::coroutine_handle<> other : all) {
      other.resume();
    }
    return false;
  }

  std::size_t expected_;
  std::mutex mutex_;
  std::vector<std::coroutine_handle<>> waiting_;
};

}  // namespace weft::test
