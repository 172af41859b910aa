// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says which task ran over the end of its stack before the process dies of it.
#pragma once

#include <cstddef>

#include <signal.h>  // stack_t is POSIX's

namespace weft::tasks::detail {

/// Takes the message; async-signal-safe. The default writes to standard error.
using overflow_sink = void (*)(const char* text, std::size_t num_bytes) noexcept;

/// Returns a description of what the calling thread runs, or null; async-signal-safe.
using task_describer = const char* (*)() noexcept;

/// Null restores the default.
void set_overflow_sink(overflow_sink sink) noexcept;
void set_task_describer(task_describer describe) noexcept;

/// While one lives, an overflow of a pooled stack that its thread runs on is explained; the
/// process then dies of SIGSEGV as it would have, or by whoever handled that signal before. All
/// other faults go to the previous handler.
///
/// Threads: lives and dies on one OS thread, which gets a signal stack of its own.
/// Errors:  weft::error when there is no memory for the signal stack.
class overflow_handler_thread_scope {
 public:
  overflow_handler_thread_scope();
  ~overflow_handler_thread_scope();
  overflow_handler_thread_scope(const overflow_handler_thread_scope&) = delete;
  overflow_handler_thread_scope& operator=(const overflow_handler_thread_scope&) = delete;

 private:
  stack_t signal_stack_{};
  stack_t previous_{};
};

}  // namespace weft::tasks::detail
