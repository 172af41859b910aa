// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The exception that stands for all stops.
#include "weft/execution/task.hpp"

#include <exception>

namespace weft::execution::detail {

const std::exception_ptr& stopped_exception() noexcept {
  // Never destroyed: tasks may end after other objects of the program. Without memory for it the
  // program ends.
  // NOLINTBEGIN(bugprone-unhandled-exception-at-new)
  static const std::exception_ptr& instance =
      *new std::exception_ptr(std::make_exception_ptr(operation_stopped()));
  // NOLINTEND(bugprone-unhandled-exception-at-new)
  return instance;
}

}  // namespace weft::execution::detail
