// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface of a task runtime: a name, a body for every problem, control of its threads.
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
  /// True if it only uses the calling thread.
  bool is_serial = false;
  /// A `body_of` the problem's input for each row of the table, in the table's order.
  std::vector<std::any> bodies = {};
  bool (*has_policy)(launch_policy which) = nullptr;
  tasks::task_limit limit = {};
  /// Counts the tasks that it starts, in memory that a parent process sees; null: does not count.
  /// With a count, calls with more tasks than `limit` allows are tried in a separate process;
  /// without, they are skipped.
  std::atomic<std::uint64_t>* tasks_started = nullptr;
  /// The runtime's own counters, read for every sample.
  std::span<const sample_counter> sample_counters = {};
  /// Library name to version, found at run time if the library reports it.
  std::map<std::string, std::string> (*libraries)() = nullptr;
  /// Calls `body(context)` while the runtime has exactly `threads` workers.
  void (*with_threads)(int threads, void (*body)(void* context), void* context) = nullptr;
};

/// The runtime this program was linked with; each file in lab/inncabs/backends defines it.
const backend& linked_backend();

}  // namespace weft::lab::inncabs
