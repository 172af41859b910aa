// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a task runtime is to the suite: a name, a body for every problem, control of its threads.
#pragma once

#include <any>
#include <atomic>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/harness/experiment.hpp"
#include "lab/inncabs/launch_policy.hpp"
#include "lab/tasks/task_limit.hpp"

namespace weft::lab::inncabs {

/// One task runtime.
struct backend {
  std::string_view name;
  /// True if it can only ever use the calling thread.
  bool is_serial = false;
  /// A `body_of` the problem's input for each row of the table, in its order.
  std::vector<std::any> bodies = {};
  bool (*has_policy)(launch_policy which) = nullptr;
  tasks::task_limit limit = {};
  /// Counts the tasks it starts, in memory that a parent process sees; null: not counted. With
  /// it, more tasks than `limit` allows are tried in a process of their own; without, they are
  /// skipped.
  std::atomic<std::uint64_t>* tasks_started = nullptr;
  /// What the runtime counts by itself, read for every sample.
  std::span<const sample_counter> sample_counters = {};
  /// Library name to version, as found at run time where the library can tell.
  std::map<std::string, std::string> (*libraries)() = nullptr;
  /// Calls `body(context)` with the runtime limited to (or raised to) `threads` workers.
  void (*with_threads)(int threads, void (*body)(void* context), void* context) = nullptr;
};

/// The runtime this program was linked with; each file in lab/inncabs/backends defines it.
const backend& linked_backend();

}  // namespace weft::lab::inncabs
