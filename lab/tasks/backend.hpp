// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface of a task runtime: a name, the problems it offers, control of its threads.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "lab/tasks/operations.hpp"
#include "lab/tasks/task_limit.hpp"

namespace weft::lab::tasks {

/// One task runtime.
struct backend {
  std::string_view name;
  /// True if it only uses the calling thread.
  bool is_serial = false;
  operations offered;
  task_limit limit = {};
  /// Library name to version, found at run time if the library reports it.
  std::map<std::string, std::string> (*libraries)() = nullptr;
  /// Calls `body(context)` while the runtime has exactly `threads` workers.
  void (*with_threads)(int threads, void (*body)(void* context), void* context) = nullptr;
};

/// The runtime this program was linked with; each file in lab/tasks/backends defines it.
const backend& linked_backend();

}  // namespace weft::lab::tasks
