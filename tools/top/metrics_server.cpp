// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As much of HTTP as a scraper needs.
#include "top/metrics_server.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <asm-generic/socket.h>  // SO_REUSEADDR
#include <netinet/in.h>
#include <sys/poll.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "weft/base/error.hpp"
#include "weft/counters/openmetrics.hpp"

namespace weft::top {

namespace {

std::string response(const char* status, const char* type, const std::string& body) {
  return "HTTP/1.1 " + std::string(status) + "\r\nContent-Type: " + type +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" +
         body;
}

std::string answer_to(const std::string& request, const std::function<std::string()>& metrics) {
  const std::string_view line = std::string_view(request).substr(0, request.find("\r\n"));
  if (line.starts_with("GET /metrics ") || line.starts_with("GET /metrics?")) {
    return response("200 OK", counters::openmetrics_content_type, metrics());
  }
  if (line.starts_with("GET ")) {
    return response("404 Not Found", "text/plain", "weft-top serves /metrics\n");
  }
  return response("405 Method Not Allowed", "text/plain", "GET /metrics\n");
}

/// True if a call that does not wait should be made again later.
bool must_wait(ssize_t result) {
  return result < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

}  // namespace

metrics_server::metrics_server(std::uint16_t port)
    : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
  const int yes = 1;
  (void)::setsockopt(listener_.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(listener_.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) !=
          0 ||
      ::listen(listener_.number(), SOMAXCONN) != 0) {
    throw error("cannot serve at 127.0.0.1:" + std::to_string(port) + ": " +
                std::generic_category().message(errno) + "; give --serve another port");
  }
}

void metrics_server::serve_for(double seconds, const std::function<std::string()>& metrics) {
  const auto end =
      clock::now() + std::chrono::round<clock::duration>(std::chrono::duration<double>(seconds));
  for (auto now = clock::now(); now < end; now = clock::now()) {
    std::erase_if(clients_, [&](const client& each) { return each.deadline <= now; });
    std::vector<pollfd> watched{{.fd = listener_.number(), .events = POLLIN, .revents = 0}};
    auto wake = end;
    for (const client& each : clients_) {
      const short wanted = each.answer.empty() ? POLLIN : POLLOUT;
      watched.push_back({.fd = each.connection.number(), .events = wanted, .revents = 0});
      wake = std::min(wake, each.deadline);
    }
    const auto timeout = std::chrono::ceil<std::chrono::milliseconds>(wake - now);
    if (::poll(watched.data(), watched.size(), static_cast<int>(timeout.count())) < 0) {
      return;
    }
    for (std::size_t i = clients_.size(); i-- > 0;) {
      if (watched[i + 1].revents != 0 && !serve(clients_[i], metrics)) {
        clients_.erase(clients_.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
    if (watched.front().revents != 0) {
      accept_client();
    }
  }
}

void metrics_server::accept_client() {
  constexpr std::size_t most_clients = 64;
  constexpr std::chrono::seconds most_time(2);
  counters::detail::file_descriptor connection(
      ::accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!connection.is_open()) {
    return;
  }
  if (clients_.size() >= most_clients) {
    clients_.erase(clients_.begin());
  }
  clients_.push_back({.connection = std::move(connection), .deadline = clock::now() + most_time});
}

bool metrics_server::serve(client& one, const std::function<std::string()>& metrics) {
  constexpr std::size_t largest_request = 8192;
  const int connection = one.connection.number();
  if (one.answer.empty()) {
    std::array<char, 1024> piece{};
    const ssize_t num = ::recv(connection, piece.data(), piece.size(), 0);
    if (num <= 0) {
      return must_wait(num);
    }
    one.request.append(piece.data(), static_cast<std::size_t>(num));
    if (one.request.find("\r\n\r\n") == std::string::npos && one.request.size() < largest_request) {
      return true;
    }
    one.answer = answer_to(one.request, metrics);
  }
  const std::string_view left = std::string_view(one.answer).substr(one.num_sent);
  const ssize_t num = ::send(connection, left.data(), left.size(), MSG_NOSIGNAL);
  one.num_sent += static_cast<std::size_t>(std::max<ssize_t>(num, 0));
  return (num > 0 || must_wait(num)) && one.num_sent < one.answer.size();
}

}  // namespace weft::top
