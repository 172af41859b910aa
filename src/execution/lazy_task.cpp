// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The exception that represents every stop, and memory for coroutines that await for senders.
#include "weft/execution/lazy_task.hpp"

#include <cstddef>
#include <exception>

#include "weft/execution/detail/awaitable.hpp"
#include "weft/tasks/coroutine_interface.hpp"

namespace weft::execution::detail {

const std::exception_ptr& stopped_exception() noexcept {
  // Never destroyed: tasks may end after other static objects of the program. If there is no memory
  // for it, the program ends.
  // NOLINTBEGIN(bugprone-unhandled-exception-at-new)
  static const std::exception_ptr& instance =
      *new std::exception_ptr(std::make_exception_ptr(operation_stopped()));
  // NOLINTEND(bugprone-unhandled-exception-at-new)
  return instance;
}

void* allocate_awaiting_frame(std::size_t bytes) { return tasks::allocate_frame(bytes); }

void free_awaiting_frame(void* frame, std::size_t bytes) noexcept {
  tasks::free_frame(frame, bytes);
}

}  // namespace weft::execution::detail
