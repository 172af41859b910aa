// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The destination of the library's few messages, for example why a program stands still. No call
// returns them and no exception can carry them.
#pragma once

#include <string_view>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

namespace weft {

/// Takes one message: whole lines, each ended by a newline. Must not throw.
using message_sink = void (*)(std::string_view text) noexcept;

/// Installs `sink` and returns the one before. Null: the default, which writes to standard error.
///
/// Threads: any; affects the whole process.
/// Example: tests/base/message_test.cpp: a_sink_takes_messages_until_it_is_replaced.
message_sink set_message_sink(message_sink sink) noexcept;

/// Passes `text` to the sink, masked by `printable`, so that foreign names cannot control a
/// terminal.
///
/// Example: tests/base/message_test.cpp: no_message_commands_the_terminal.
void send_message(std::string_view text) noexcept;

}  // namespace weft
