// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The errors of sending to, or receiving from, a closed channel.
#include "weft/tasks/channel.hpp"

namespace weft::tasks::detail {

void throw_closed_to_sender() {
  throw channel_closed("weft::channel: send on a closed channel; send everything before close");
}

void throw_closed_to_receiver() {
  throw channel_closed(
      "weft::channel: receive on a closed and empty channel; use next() or a range-based for loop "
      "to receive until the end");
}

}  // namespace weft::tasks::detail
