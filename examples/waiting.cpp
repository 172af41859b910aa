// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A coroutine that waits for a message, a time or a stop, whichever comes first.
#include <chrono>  // IWYU pragma: keep: its literals
#include <cstdio>
#include <cstdlib>
#include <string>
#include <variant>

#include <weft/execution.hpp>
#include <weft/tasks/channel.hpp>
#include <weft/tasks/lazy_task.hpp>

using namespace std::chrono_literals;
namespace ex = weft::execution;

namespace {

struct seen {
  int num_messages = 0;
  int num_timeouts = 0;
};

/// Looks after the messages until it is stopped.
weft::lazy_task<void> serve(weft::channel<std::string>& messages, seen& what) {
  for (;;) {
    auto first = co_await weft::select(messages.async_receive(), weft::sleep_for(2ms));
    if (first.index() == 0) {
      std::printf("message: %s\n", std::get<0>(first).c_str());
      ++what.num_messages;
    } else {
      ++what.num_timeouts;  // nothing came for 2 ms; no message was taken
    }
  }  // a stop request ends the wait, and the task
}

weft::lazy_task<void> ask(weft::channel<std::string>& messages) {
  co_await messages.async_send("first");
  co_await weft::sleep_for(20ms);
  co_await messages.async_send("second");
  co_await weft::sleep_for(20ms);
}

}  // namespace

int main() {
  weft::channel<std::string> messages(8);
  seen what;

  // Whichever ends first stops the other: `ask` ends, and `serve` would never.
  ex::sync_wait(ex::when_any(serve(messages, what), ask(messages)));

  std::printf("%d messages, %d timeouts\n", what.num_messages, what.num_timeouts);
  return what.num_messages == 2 && what.num_timeouts > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
