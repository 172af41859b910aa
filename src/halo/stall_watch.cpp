// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One message for each exchange that waits too long.
#include "halo/stall_watch.hpp"

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

std::string place_text(const std::source_location& where) {
  if (where.line() == 0) {  // as of C and Python
    return {};
  }
  std::string_view file = where.file_name();
  if (const auto slash = file.rfind('/'); slash != std::string_view::npos) {
    file.remove_prefix(slash + 1);
  }
  return std::string(file) + ":" + std::to_string(where.line());
}

bool stall_watch::is_due(std::uint64_t exchange) {
  const clock::time_point now = clock::now();
  if (exchange != exchange_) {
    exchange_ = exchange;
    since_ = now;
    is_told_ = false;
  }
  if (is_told_ || patience_.count() <= 0 || now - since_ < patience_) {
    return false;
  }
  is_told_ = true;
  return true;
}

void stall_watch::tell(const grid& processes, const std::vector<int>& peers) const {
  std::string ranks;
  for (const int each : peers) {
    ranks += (ranks.empty() ? "" : ", ") + std::to_string(each);
  }
  std::array<char, 32> seconds{};
  std::snprintf(
      seconds.data(), seconds.size(), "%g", std::chrono::duration<double>(patience_).count());
  const std::string place = place_text(where_);
  send_message("weft: rank " + std::to_string(processes.rank()) + " has waited " + seconds.data() +
               " s for " +
               (ranks.empty()       ? "other ranks"
                : peers.size() == 1 ? "rank " + ranks
                                    : "ranks " + ranks) +
               " in exchange " + std::to_string(exchange_ + 1) +
               (place.empty() ? "" : " (made at " + place + ")") + "; all ranks must call it\n");
}

}  // namespace weft::halo::detail
