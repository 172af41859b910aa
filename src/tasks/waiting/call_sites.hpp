// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the user's source line of a wait whose own line is in a library header.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "weft/tasks/detail/stacks/stack.hpp"

namespace weft::tasks::detail {

/// True for headers of the standard library and of weft, in which waits are called on behalf of the
/// user.
[[nodiscard]] bool is_library_header(std::string_view file) noexcept;

/// Finds users' lines with addr2line, and remembers the results.
///
/// Cost:    a process for each different stack, up to a limit.
class call_sites {
 public:
  /// Returns a line such as "main.cpp:12 (f())"; empty: unknown, for example without debug
  /// information.
  /// Threads: no thread may resume `suspended` meanwhile. The stack is used and left unchanged.
  [[nodiscard]] std::string of_suspended(stack& suspended);
  /// Returns the line for the calling function.
  [[nodiscard]] std::string of_caller();

 private:
  std::string find(const std::vector<void*>& frames);
  std::map<std::vector<void*>, std::string> found_;
};

}  // namespace weft::tasks::detail
