// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looks into the folder of counter files, and at processes that have none.
#include "top/targets.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <unistd.h>

#include "weft/base/error.hpp"
#include "weft/base/text_file.hpp"
#include "weft/counters/segment.hpp"
#include "weft/counters/segment_files.hpp"

#include "top/layout.hpp"
#include "top/reader.hpp"

namespace weft::top {

namespace {

constexpr std::string_view how_to_start = "start one and watch it with: weft top -- PROGRAM";

std::string program_of(const std::filesystem::path& path) {
  try {
    return read_header(segment_reader(path).read().words).program;
  } catch (const error&) {
    return "?";  // another version; whoever asks for it by pid is told
  }
}

/// The file that a process has mapped, wherever that lies; empty if none or not to be seen.
std::filesystem::path mapped_by(std::uint64_t pid) {
  for (const std::string& line : read_lines("/proc/" + std::to_string(pid) + "/maps")) {
    const std::size_t slash = line.find('/');
    if (slash == std::string::npos) {
      continue;
    }
    const std::filesystem::path path = line.substr(slash);
    const auto name = counters::parse_segment_name(path.filename().string());
    if (name && name->pid == pid) {
      return path;
    }
  }
  return {};
}

bool is_switched_off(std::uint64_t pid) {
  const auto environment = read_bytes("/proc/" + std::to_string(pid) + "/environ");
  const std::string text = '\0' + environment.value_or("") + '\0';
  return text.find(std::string("\0WEFT_STATS=off\0", 16)) != std::string::npos;
}

std::string in_parentheses(const std::string& text) {
  return text.empty() ? "" : " (" + text + ")";
}

[[noreturn]] void refuse_pid(const std::filesystem::path& folder, std::uint64_t pid) {
  const std::string number = std::to_string(pid);
  if (!std::filesystem::exists("/proc/" + number)) {
    const std::vector<target> others = all_targets(folder);
    throw error("weft top: there is no process " + number + ", nor counters that one left behind" +
                (others.empty() ? "; " + std::string(how_to_start)
                                : "; these there are:\n" + list_text(others)));
  }
  const std::string name = in_parentheses(read_text("/proc/" + number + "/comm").value_or(""));
  if (is_switched_off(pid)) {
    throw error("weft top: process " + number + name +
                " runs with WEFT_STATS=off, which forbids to look; start it without");
  }
  throw error("weft top: process " + number + name + " has no counters in " + folder.string() +
              ": it is no weft program, or has not started a task yet; if it runs with another "
              "WEFT_STATS_DIR, set that here, too");
}

}  // namespace

std::filesystem::path stats_folder() { return counters::segment_options_from_environment().folder; }

std::vector<target> all_targets(const std::filesystem::path& folder) {
  std::error_code failed;
  if (!std::filesystem::is_directory(folder, failed)) {
    throw error("weft top: there is no folder " + folder.string() +
                ", where programs leave their counters; name one with WEFT_STATS_DIR, for them "
                "and for weft top");
  }
  std::vector<target> targets;
  for (const counters::segment_file& file : counters::segment_files(folder)) {
    if (::access(file.path.c_str(), R_OK) == 0) {
      targets.push_back({.file = file,
                         .is_alive = !counters::is_left_behind(file),
                         .program = program_of(file.path)});
    }
  }
  return targets;
}

std::filesystem::path find_pid(const std::filesystem::path& folder, std::uint64_t pid) {
  const counters::segment_file* best = nullptr;
  const std::vector<counters::segment_file> files = counters::segment_files(folder);
  for (const counters::segment_file& file : files) {
    // Of several that had this pid the last one is meant.
    if (file.name.pid == pid &&
        (best == nullptr || file.name.start_clock_ticks > best->name.start_clock_ticks)) {
      best = &file;
    }
  }
  if (best != nullptr) {
    return best->path;
  }
  const std::filesystem::path elsewhere = mapped_by(pid);
  if (elsewhere.empty()) {
    refuse_pid(folder, pid);
  }
  return elsewhere;
}

std::filesystem::path find_only(const std::filesystem::path& folder) {
  std::vector<target> targets = all_targets(folder);
  if (std::ranges::any_of(targets, &target::is_alive)) {
    std::erase_if(targets, [](const target& t) { return !t.is_alive; });
  }
  if (targets.empty()) {
    throw error("weft top: no weft program runs here; " + std::string(how_to_start));
  }
  if (targets.size() > 1) {
    throw error("weft top: there are several, say which with --pid PID, or --all:\n" +
                list_text(targets));
  }
  return targets.front().file.path;
}

std::string list_text(const std::vector<target>& targets) {
  std::string text;
  for (const target& t : targets) {
    const std::string pid = std::to_string(t.file.name.pid);
    text +=
        (text.empty() ? "" : "\n") + std::string(10 - std::min<std::size_t>(pid.size(), 8), ' ');
    text += pid + "  " + t.program + (t.is_alive ? "" : "  (killed)");
  }
  return text;
}

}  // namespace weft::top
