// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When, and on which stack, a task or a continuation runs.
#pragma once

#include <cstdint>

namespace weft {

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

  friend constexpr bool operator==(launch, launch) noexcept = default;

 private:
  enum class kind : std::uint8_t { async, deferred, fork, sync };
  explicit constexpr launch(kind what) noexcept : kind_(what) {}

  kind kind_;
};

inline constexpr launch launch::async{kind::async};
inline constexpr launch launch::deferred{kind::deferred};
inline constexpr launch launch::fork{kind::fork};
inline constexpr launch launch::sync{kind::sync};

}  // namespace weft
