// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reports which task overflowed its stack before the process dies.
#pragma once

#include <cstddef>

#include <signal.h>  // for POSIX's stack_t

namespace weft::tasks::detail {

/// Writes the message; async-signal-safe. The default writes to standard error.
using overflow_sink = void (*)(const char* text, std::size_t num_bytes) noexcept;

/// Returns a description of the calling thread's task, or null; async-signal-safe.
using task_describer = const char* (*)() noexcept;

/// Null restores the default.
void set_overflow_sink(overflow_sink sink) noexcept;
void set_task_describer(task_describer describe) noexcept;

/// While an object lives, an overflow of a pooled stack that its thread runs on is reported. The
/// process then dies of SIGSEGV, or the previous handler of that signal runs. All other faults go
/// to the previous handler.
///
/// Threads: made and destroyed on one OS thread, which gets its own signal stack.
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
