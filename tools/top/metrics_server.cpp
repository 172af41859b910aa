// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As much of HTTP as a scraper needs.
#include "top/metrics_server.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>

#include <asm-generic/socket.h>  // SO_REUSEADDR
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#include "weft/base/error.hpp"
#include "weft/counters/openmetrics.hpp"

#include "top/terminal.hpp"

namespace weft::top {

namespace {

std::string response(const char* status, const char* type, const std::string& body) {
  return "HTTP/1.1 " + std::string(status) + "\r\nContent-Type: " + type +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" +
         body;
}

/// The request up to its empty line; what came, if that does not come within a second.
std::string read_request(int connection) {
  constexpr std::size_t largest = 8192;
  std::string text;
  std::array<char, 1024> piece{};
  while (text.find("\r\n\r\n") == std::string::npos && text.size() < largest &&
         wait_for(1, connection)) {
    const ssize_t num = ::recv(connection, piece.data(), piece.size(), 0);
    if (num <= 0) {
      break;
    }
    text.append(piece.data(), static_cast<std::size_t>(num));
  }
  return text;
}

}  // namespace

metrics_server::metrics_server(std::uint16_t port) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  (void)::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener_, SOMAXCONN) != 0) {
    const int code = errno;
    (void)::close(listener_);
    throw error("weft top: cannot serve at 127.0.0.1:" + std::to_string(port) + ": " +
                std::generic_category().message(code) + "; give --serve another port");
  }
}

metrics_server::~metrics_server() { (void)::close(listener_); }

void metrics_server::serve_for(double seconds, const std::function<std::string()>& metrics) const {
  if (!wait_for(seconds, listener_)) {
    return;
  }
  const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (connection >= 0) {
    answer(connection, metrics);
    (void)::close(connection);
  }
}

void metrics_server::answer(int connection, const std::function<std::string()>& metrics) const {
  const std::string request = read_request(connection);
  const std::string_view line = std::string_view(request).substr(0, request.find("\r\n"));
  std::string text;
  if (line.starts_with("GET /metrics ") || line.starts_with("GET /metrics?")) {
    text = response("200 OK", counters::openmetrics_content_type, metrics());
  } else if (line.starts_with("GET ")) {
    text = response("404 Not Found", "text/plain", "weft-top serves /metrics\n");
  } else {
    text = response("405 Method Not Allowed", "text/plain", "GET /metrics\n");
  }
  std::string_view left = text;
  while (!left.empty()) {
    const ssize_t sent = ::send(connection, left.data(), left.size(), MSG_NOSIGNAL);
    if (sent <= 0) {
      return;
    }
    left.remove_prefix(static_cast<std::size_t>(sent));
  }
}

}  // namespace weft::top
