// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One message for each exchange that waits too long.
#include "halo/exchange/stall_watch.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/message.hpp"
#include "weft/halo/detail/grid.hpp"

namespace weft::halo::detail {

std::string without_folders(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));  // npos + 1 is 0
}

std::string place_text(const std::source_location& where) {
  if (where.line() == 0) {  // the files of C and Python programs
    return {};
  }
  return without_folders(where.file_name()) + ":" + std::to_string(where.line());
}

bool stall_watch::is_due(std::uint64_t exchange, std::chrono::milliseconds patience) {
  const clock::time_point now = clock::now();
  if (exchange != exchange_) {
    exchange_ = exchange;
    since_ = now;
    is_told_ = false;
  }
  if (is_told_ || now - since_ < patience) {
    return false;
  }
  is_told_ = true;
  return true;
}

void stall_watch::tell(std::chrono::milliseconds patience,
                       const grid& processes,
                       const std::vector<int>& peers,
                       std::string_view otherwise) const {
  std::string ranks;
  for (const int each : peers) {
    ranks += (ranks.empty() ? "" : ", ") + std::to_string(each);
  }
  std::array<char, 32> seconds{};
  std::snprintf(
      seconds.data(), seconds.size(), "%g", std::chrono::duration<double>(patience).count());
  std::string whom = (peers.size() == 1 ? "rank " : "ranks ") + ranks;
  if (peers.empty()) {
    whom = otherwise.empty() ? "other ranks" : otherwise;
  }
  const bool is_for_ranks = !peers.empty() || otherwise.empty();
  send_message("weft: rank " + std::to_string(processes.rank()) + " has waited " + seconds.data() +
               " s for " + whom + " in exchange " + std::to_string(exchange_ + 1) +
               (place_.empty() ? "" : " (made at " + place_ + ")") +
               (is_for_ranks ? "; all ranks must call it" : "") + "\n");
}

}  // namespace weft::halo::detail
