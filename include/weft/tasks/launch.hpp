// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When, and on which stack, a task or a continuation runs.
#pragma once

#include <cstdint>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

namespace weft {

/// Which tasks a worker begins first; see "Priorities" in docs/how_the_scheduler_works.md.
enum class task_priority : std::uint8_t {
  normal,
  high,  // before all normal tasks that a worker has not begun
  low    // when a worker finds nothing else
};

/// How `async`, `dataflow` and `then` run what they are given.
///
/// Example: tests/tasks/async_test.cpp: every_policy_gives_the_result.
class launch {
 public:
  /// The type of `launch::post`, which promises no result.
  struct post_policy {};

  static const launch async;     // queued: by the worker that comes first, which may be this one
  static const launch deferred;  // by the first who waits for it, or never
  static const launch fork;      // here and now, while the caller is queued for others to go on as
  static const launch sync;      // here and now as a call, or where what it depends on completes
  static constexpr post_policy post{};  // queued, without a future

  /// `launch::async` with a priority. It affects when the task starts, not how it resumes after a
  /// wait. The other policies queue nothing and stay as they are.
  /// Example: tests/tasks/priority_test.cpp: one_worker_begins_high_ones_first_and_low_ones_last.
  [[nodiscard]] constexpr launch with_priority(task_priority priority) const noexcept {
    return kind_ == kind::async ? launch(kind_, priority) : *this;
  }
  [[nodiscard]] constexpr task_priority priority() const noexcept { return priority_; }
  /// True for `launch::async` with any priority.
  [[nodiscard]] constexpr bool is_queued() const noexcept { return kind_ == kind::async; }

  friend constexpr bool operator==(launch, launch) noexcept = default;

 private:
  enum class kind : std::uint8_t { async, deferred, fork, sync };
  explicit constexpr launch(kind what, task_priority priority = task_priority::normal) noexcept
      : kind_(what), priority_(priority) {}

  kind kind_;
  task_priority priority_;
};

inline constexpr launch launch::async{kind::async};
inline constexpr launch launch::deferred{kind::deferred};
inline constexpr launch launch::fork{kind::fork};
inline constexpr launch launch::sync{kind::sync};

}  // namespace weft
