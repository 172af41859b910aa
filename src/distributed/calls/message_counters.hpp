// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The counters /parcels, /messages and /data of this process.
#pragma once

namespace weft::distributed::detail {

class engine;

/// Has the counters show what `counted` exchanges, until it is destroyed. The counters keep their
/// values, so that a program can print them at its end. One at a time.
class message_counters {
 public:
  explicit message_counters(const engine& counted);
  message_counters(const message_counters&) = delete;
  message_counters& operator=(const message_counters&) = delete;
  ~message_counters();
};

}  // namespace weft::distributed::detail
