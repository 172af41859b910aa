// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a few files of /proc/<pid>.
#include "top/process_facts.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <unistd.h>

#include "weft/base/text_file.hpp"
#include "weft/counters/segment_files.hpp"

namespace weft::top {

namespace {

std::optional<std::uint64_t> whole(std::string_view text) {
  const auto number = base::parse_integer(text);
  return number && *number >= 0 ? std::optional(static_cast<std::uint64_t>(*number)) : std::nullopt;
}

/// The number after the first blank: /proc/<pid>/statm's second, /proc/.../schedstat's second.
std::optional<std::uint64_t> second_number(const std::string& file) {
  const std::string text = base::read_text(file).value_or("");
  const std::size_t blank = text.find(' ');
  return blank == std::string::npos ? std::nullopt
                                    : whole(std::string_view(text).substr(blank + 1));
}

}  // namespace

process_facts read_process(std::uint64_t pid, std::uint64_t start_clock_ticks) {
  process_facts facts;
  const std::string folder = "/proc/" + std::to_string(pid);
  if (counters::process_start(pid) != start_clock_ticks) {
    return facts;
  }
  facts.is_alive = true;
  const auto lines = base::read_lines(folder + "/status");
  if (const auto state = base::keyed_value(lines, "State"); state && !state->empty()) {
    facts.state = state->front();
  }
  if (const auto threads = base::keyed_value(lines, "Threads")) {
    facts.num_threads = whole(*threads);
  }
  if (const auto pages = second_number(folder + "/statm")) {
    facts.rss_bytes = *pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  }
  return facts;
}

std::optional<std::uint64_t> thread_run_delay_ns(std::uint64_t pid, std::uint64_t thread) {
  return second_number("/proc/" + std::to_string(pid) + "/task/" + std::to_string(thread) +
                       "/schedstat");
}

}  // namespace weft::top
