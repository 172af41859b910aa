// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The errors of channels between ranks.
#include "weft/distributed/channel.hpp"

#include "weft/tasks/channel.hpp"

namespace weft::distributed::detail {

void throw_channel_closed() {
  throw channel_closed(
      "a value was sent to a channel that is closed: close it when all ranks have sent their last");
}

}  // namespace weft::distributed::detail
