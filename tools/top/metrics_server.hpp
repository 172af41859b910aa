// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Answers Prometheus, on this machine only.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace weft::top {

/// Listens at 127.0.0.1. One connection at a time; who says nothing is hung up on after a second.
///
/// Errors: `weft::error` if the port is taken or not allowed.
class metrics_server {
 public:
  explicit metrics_server(std::uint16_t port);
  metrics_server(const metrics_server&) = delete;
  metrics_server& operator=(const metrics_server&) = delete;
  ~metrics_server();

  /// Answers whoever comes within `seconds`: GET /metrics with what `metrics` returns.
  void serve_for(double seconds, const std::function<std::string()>& metrics) const;

 private:
  void answer(int connection, const std::function<std::string()>& metrics) const;

  int listener_ = -1;
};

}  // namespace weft::top
