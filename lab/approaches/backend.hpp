// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface of an approach: a name, the problems it offers, control of its threads.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "lab/approaches/operations.hpp"
#include "lab/tasks/task_limit.hpp"

namespace weft::lab::approaches {

/// One way to write the same program, with the library it is written for.
struct backend {
  std::string_view name;
  /// True if it only uses the calling thread.
  bool is_serial = false;
  operations offered;
  tasks::task_limit limit = {};
  /// Library name to version, found at run time if the library reports it.
  std::map<std::string, std::string> (*libraries)() = nullptr;
  /// Calls `body(context)` with a pool of `threads` threads.
  void (*with_threads)(int threads, void (*body)(void* context), void* context) = nullptr;
};

/// The approach this program was linked with; each file in lab/approaches/backends defines it.
const backend& linked_backend();

}  // namespace weft::lab::approaches
