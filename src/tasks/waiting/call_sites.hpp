// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the user's line above a wait whose own line lies in a header of a library.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "weft/tasks/detail/stacks/stack.hpp"

namespace weft::tasks::detail {

/// True for headers of the standard library and of weft, which call waits for the user.
[[nodiscard]] bool is_library_header(std::string_view file) noexcept;

/// Looks for users' lines with addr2line, and remembers what it found.
///
/// Cost:    a process for each different stack, up to a limit.
class call_sites {
 public:
  /// "main.cpp:12 (f())"; empty: unknown, for example for want of debug information.
  /// Threads: nobody resumes `suspended` meanwhile. It is used and left as it was.
  [[nodiscard]] std::string of_suspended(stack& suspended);
  /// The same for the calling function.
  [[nodiscard]] std::string of_caller();

 private:
  std::string find(const std::vector<void*>& frames);
  std::map<std::vector<void*>, std::string> found_;
};

}  // namespace weft::tasks::detail
