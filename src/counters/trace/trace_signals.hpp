// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handles two kinds of signals for a trace: those that end the process, and the request for a
// trace.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace weft::counters::detail {

/// Stores in `mark` which signal ends this process, writes `last_words` to standard error, and
/// forwards the signal to the previous handler.
///
/// Both arguments must live as long as the process. Only the first call of a process has an effect.
void mark_fatal_signals(std::atomic<std::uint32_t>& mark, std::string last_words);

/// Calls `dump` on its own thread whenever the signal arrives.
/// Errors: std::system_error if there can be no thread.
void dump_on_signal(int signal, void (*dump)() noexcept);

}  // namespace weft::counters::detail
