// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the kernel keeps of single threads in /proc/self/task: for the workers' share of /os.
#include "counters/proc_threads.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/base/text_file.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"

#include "counters/proc_counter.hpp"
#include "counters/unavailable.hpp"
#include "counters/worker_threads.hpp"

namespace weft::counters::detail {
namespace {

namespace fs = std::filesystem;

constexpr std::array fields{
    thread_field{"/os/run-delay", "schedstat", "", 1},
    thread_field{"/os/context-switches/voluntary", "status", "voluntary_ctxt_switches", 0},
    thread_field{"/os/context-switches/involuntary", "status", "nonvoluntary_ctxt_switches", 0},
    thread_field{"/os/page-faults/minor", "stat", "", 7},
    thread_field{"/os/page-faults/major", "stat", "", 9},
};

/// What follows the program's name, which stands in parentheses and may hold anything.
std::string behind_name(const std::string& line) {
  const std::size_t name_end = line.rfind(')');
  return name_end == std::string::npos ? line : line.substr(name_end + 1);
}

std::optional<std::int64_t> read_column(const std::string& line, std::size_t column) {
  std::istringstream words(behind_name(line));
  std::string word;
  for (std::size_t i = 0; i <= column; ++i) {
    words >> word;
  }
  return words ? parse_integer(word) : std::nullopt;
}

std::optional<std::int64_t> read_field(const thread_field& field, const fs::path& thread) {
  const std::vector<std::string> lines = read_lines(thread / field.file);
  if (lines.empty()) {
    return std::nullopt;
  }
  if (field.key.empty()) {
    return read_column(lines.front(), field.column);
  }
  const auto text = keyed_value(lines, field.key);
  return text ? parse_integer(*text) : std::nullopt;
}

}  // namespace

const thread_field* find_thread_field(std::string_view type) noexcept {
  const auto* found = std::ranges::find(fields, type, &thread_field::type);
  return found == fields.end() ? nullptr : found;
}

number_reader read_worker(const thread_field& field,
                          const counter_name& name,
                          const fs::path& root,
                          worker_source workers) {
  return [&field, name, root, workers = std::move(workers)](evaluation& /*now*/) {
    for (const worker_thread& each : workers()) {
      if (!is_instance_of(name, each)) {
        continue;
      }
      const fs::path thread = root / "proc/self/task" / std::to_string(each.thread_id);
      const auto value = read_field(field, thread);
      return value ? counter_value{.value = counter_value::number(*value)}
                   : unavailable((thread / field.file).string() +
                                 " is not there or says nothing about it");
    }
    return unavailable("there is no such worker now, or its thread is not known yet");
  };
}

}  // namespace weft::counters::detail
