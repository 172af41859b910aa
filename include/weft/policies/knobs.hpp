// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Settings of a running runtime that policies change.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "weft/tasks/runtime_knobs.hpp"

namespace weft::policies {

/// How many workers of a runtime take tasks: 1 to the number that it was started or resized with.
///
/// A surplus worker sleeps after its current task, and the others run its queued tasks. Parallel
/// algorithms that start later divide their work among the workers in use. `runtime::resize` sets
/// both this number and its limit.
/// Cost:    `set` takes a lock and wakes the workers whose state changes.
/// Threads: any.
/// Errors:  none. If the runtime has ended, `value` and `most` are empty, and `set` does nothing.
/// Example: tests/policies/knobs_test.cpp: workers_in_use_can_be_changed.
class workers_in_use {
 public:
  explicit workers_in_use(runtime& of) : of_(of) {}

  [[nodiscard]] std::optional<int> most() const { return of_.most_workers(); }
  [[nodiscard]] std::optional<int> value() const { return of_.num_workers(); }
  /// Sets the number, limited to 1 to `most()`. A change is a decision of the named policy. Returns
  /// whether the number changed.
  bool set(int wanted, std::string_view policy = "program") const;

 private:
  tasks::weak_runtime of_;
};

/// The longest time that a worker without tasks searches before it parks. Less saves CPU time; more
/// saves wakes. Changes apply from each worker's next wake on.
///
/// Units:   microseconds, 1 to 1'000'000; 1'000 unless changed.
/// Cost:    a lock.
/// Threads: any.
/// Errors:  `weft::error` outside these limits. If the runtime has ended, `value` is empty, and
///          `set` does nothing.
/// Example: tests/policies/knobs_test.cpp: the_search_time_can_be_changed.
class longest_search {
 public:
  explicit longest_search(runtime& of) : of_(of) {}

  [[nodiscard]] std::optional<std::chrono::microseconds> value() const {
    return of_.longest_search();
  }
  /// A change is a decision of the named policy. Returns whether the time changed.
  bool set(std::chrono::microseconds wanted, std::string_view policy = "program") const;

 private:
  tasks::weak_runtime of_;
};

}  // namespace weft::policies
