// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handles exceptions that escape from tasks without a future.
#include <atomic>
#include <exception>
#include <utility>

#include "weft/tasks/post.hpp"

namespace weft {
namespace {

// std::terminate prints the message of an uncaught exception.
void terminate_with(std::exception_ptr escaped) noexcept {
  std::rethrow_exception(std::move(escaped));
}

constinit std::atomic<escaped_exception_handler> current_handler{terminate_with};

}  // namespace

escaped_exception_handler set_escaped_exception_handler(
    escaped_exception_handler handler) noexcept {
  return current_handler.exchange(handler != nullptr ? handler : terminate_with);
}

void tasks::detail::handle_escaped_exception() noexcept {
  current_handler.load()(std::current_exception());
}

}  // namespace weft
