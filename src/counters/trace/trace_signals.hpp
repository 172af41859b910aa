// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What signals mean to a trace: the last word of a process that dies, and a request for the trace.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace weft::counters::detail {

/// Notes in `mark` which signal ends this process, writes `last_words` to standard error, and
/// leaves the signal to whoever was there before.
///
/// Both must live as long as the process. Only the first call of a process has an effect.
void mark_fatal_signals(std::atomic<std::uint32_t>& mark, std::string last_words);

/// Calls `dump` on a thread of its own whenever the signal arrives.
/// Errors: std::system_error if there can be no thread.
void dump_on_signal(int signal, void (*dump)() noexcept);

}  // namespace weft::counters::detail
