// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The message sink, one per process.
#include "weft/base/message.hpp"

#include <atomic>
#include <cstddef>
#include <new>
#include <string_view>

#include <unistd.h>

#include "weft/base/printable.hpp"

namespace weft {
namespace {

void write_to_standard_error(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0) {
      return;  // there is no sink
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

constinit std::atomic<message_sink> current_sink{write_to_standard_error};

}  // namespace

message_sink set_message_sink(message_sink sink) noexcept {
  return current_sink.exchange(sink == nullptr ? write_to_standard_error : sink);
}

void send_message(std::string_view text) noexcept {
  const message_sink sink = current_sink.load();
  if (base::is_printable(text)) {
    sink(text);
    return;
  }
  try {
    sink(base::printable(text));
  } catch (const std::bad_alloc&) {
    sink("weft: a message is lost: no memory is left to mask its control characters\n");
  }
}

}  // namespace weft
