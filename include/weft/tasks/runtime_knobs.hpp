// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What policies change in a runtime that may end before they do; for weft/policies.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

namespace weft {
class runtime;
}

namespace weft::tasks {

namespace detail {
class runtime_gate;
}

/// How many workers took tasks before a call of `weak_runtime::use_workers`, and after it.
struct worker_change {
  int before = 0;
  int after = 0;
};

/// A reference to a runtime that may end first. Copies refer to the same runtime.
///
/// Cost:    each member but `name` takes a lock.
/// Threads: any. The end of the runtime waits for a call that is under way. A fork of the process
///          has no runtime.
/// Example: tests/policies/knobs_test.cpp: a_knob_outlives_its_runtime.
class weak_runtime {
 public:
  explicit weak_runtime(runtime& of);

  /// The pool in the names of the runtime's counters.
  [[nodiscard]] const std::string& name() const noexcept;
  /// How many workers take tasks; nothing if the runtime has ended.
  [[nodiscard]] std::optional<int> num_workers() const;
  /// The number of workers that the runtime was started with, or that `runtime::resize` was last
  /// asked for. Nothing if the runtime has ended.
  [[nodiscard]] std::optional<int> most_workers() const;
  /// Lets only so many workers take tasks, limited to 1 to `most_workers()`. A surplus worker sleeps
  /// after its current task, and the others run its queued tasks. Nothing: the runtime has ended.
  std::optional<worker_change> use_workers(int wanted) const;

  /// The longest time that a worker without tasks searches before it parks.
  [[nodiscard]] std::optional<std::chrono::microseconds> longest_search() const;
  /// Changes this time for searches after a worker's next wake. False: the runtime has ended.
  /// Errors:  `weft::error` for less than 1 us or more than 1 s.
  bool set_longest_search(std::chrono::microseconds longest) const;

 private:
  std::shared_ptr<detail::runtime_gate> gate_;
};

/// False: WEFT_POLICIES=off or --weft:policies=off was given.
/// Cost:    a load; the first call may read the environment.
[[nodiscard]] bool are_policies_on();

}  // namespace weft::tasks
