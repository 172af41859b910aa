// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Answers Prometheus, on this machine only.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "counters/core/mapped_file.hpp"

namespace weft::top {

/// Listens at 127.0.0.1, and serves 64 clients at a time: no client waits for another one.
///
/// The server closes a connection 2 s after it began, whatever the client has sent or taken until
/// then, and closes the oldest one if more than 64 clients come.
/// Errors: `weft::error` if the port is taken or not allowed.
class metrics_server {
 public:
  explicit metrics_server(std::uint16_t port);

  /// Answers for `seconds`, or until a signal comes: GET /metrics with what `metrics` returns.
  void serve_for(double seconds, const std::function<std::string()>& metrics);

 private:
  using clock = std::chrono::steady_clock;
  struct client {
    counters::detail::file_descriptor connection;
    clock::time_point deadline;
    std::string request = {};
    std::string answer = {};  // empty: the request is not whole yet
    std::size_t num_sent = 0;
  };

  void accept_client();
  /// True if the client wants more: false if its connection is to be closed.
  [[nodiscard]] static bool serve(client& one, const std::function<std::string()>& metrics);

  counters::detail::file_descriptor listener_;
  std::vector<client> clients_;  // the oldest first
};

}  // namespace weft::top
