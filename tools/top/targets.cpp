// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looks into the folder of counter files, and at processes that have none.
#include "top/targets.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
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
    return segment_reader(path).header().program;
  } catch (const error&) {
    return "?";  // another version; whoever asks for it by pid is told
  }
}

/// The file that a process has mapped, wherever that lies; empty if none or not to be seen.
std::filesystem::path mapped_by(std::uint64_t pid) {
  for (const std::string& line : base::read_lines("/proc/" + std::to_string(pid) + "/maps")) {
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
  const auto environment = base::read_bytes("/proc/" + std::to_string(pid) + "/environ");
  const std::string text = '\0' + environment.value_or("") + '\0';
  return text.find(std::string("\0WEFT_STATS=off\0", 16)) != std::string::npos;
}

std::string in_parentheses(const std::string& text) {
  return text.empty() ? "" : " (" + text + ")";
}

/// Files that are called after a process and are not its own; "; FILE ..." for each.
std::string others_text(const std::vector<target>& files) {
  std::string text;
  for (const target& each : files) {
    text += "; " + each.file.path.string() +
            (each.is_trusted()
                 ? " is the file of another process of that number: see it with weft top --all"
                 : " is not trusted: " + each.check.reason);
  }
  return text;
}

[[noreturn]] void refuse_pid(const std::filesystem::path& folder,
                             std::uint64_t pid,
                             const std::string& others_of_pid) {
  const std::string number = std::to_string(pid);
  if (!std::filesystem::exists("/proc/" + number)) {
    const std::vector<target> others = all_targets(folder);
    throw error(
        "there is no process " + number + ", and no counters that it left behind" + others_of_pid +
        (others.empty() ? "; " + std::string(how_to_start) : "; there are:\n" + list_text(others)));
  }
  const std::string name =
      in_parentheses(base::read_text("/proc/" + number + "/comm").value_or(""));
  if (is_switched_off(pid)) {
    throw error("process " + number + name +
                " runs with WEFT_STATS=off, so it has no counters; start it without" +
                others_of_pid);
  }
  throw error("process " + number + name + " has no counters in " + folder.string() +
              ": it does not use weft, or has not started a task yet. If it runs with another "
              "WEFT_STATS_DIR, set the same here" +
              others_of_pid);
}

}  // namespace

std::filesystem::path stats_folder() { return counters::segment_options_from_environment().folder; }

std::vector<target> all_targets(const std::filesystem::path& folder) {
  std::error_code failed;
  if (!std::filesystem::is_directory(folder, failed)) {
    throw error(
        "there is no folder " + folder.string() +
        ", where programs leave their counters; set WEFT_STATS_DIR to an existing folder, for "
        "those programs and here");
  }
  std::vector<target> targets;
  for (const counters::segment_file& file : counters::segment_files(folder)) {
    if (::access(file.path.c_str(), R_OK) == 0) {
      target found{.file = file, .check = counters::check_segment(file), .program = {}};
      found.program = found.is_trusted() ? program_of(file.path) : "";
      targets.push_back(std::move(found));
    }
  }
  return targets;
}

std::filesystem::path find_pid(const std::filesystem::path& folder, std::uint64_t pid) {
  std::vector<target> named_so;
  for (const counters::segment_file& file : counters::segment_files(folder)) {
    if (file.name.pid == pid) {
      named_so.push_back({.file = file, .check = counters::check_segment(file), .program = {}});
    }
  }
  // Of several the process's own is meant, or else the last of those that the caller's left.
  const auto rank = [](const target& each) {
    return std::tuple(each.is_trusted(),
                      each.check.standing == counters::segment_standing::running,
                      each.file.name.uid == ::geteuid(),
                      each.file.name.start_clock_ticks);
  };
  const auto best = std::ranges::max_element(named_so, {}, rank);
  const bool is_found = best != named_so.end() && best->is_trusted();
  if (is_found && (best->check.standing == counters::segment_standing::running ||
                   !counters::process_start(pid))) {
    return best->file.path;
  }
  const std::filesystem::path elsewhere = mapped_by(pid);
  if (elsewhere.empty()) {
    refuse_pid(folder, pid, others_text(named_so));
  }
  return elsewhere;
}

std::filesystem::path find_only(const std::filesystem::path& folder) {
  std::vector<target> targets = all_targets(folder);
  std::erase_if(targets, [](const target& t) { return !t.is_trusted(); });
  const auto is_own = [](const target& t) { return t.file.name.uid == ::geteuid(); };
  if (::geteuid() != 0 && std::ranges::any_of(targets, is_own)) {
    std::erase_if(targets, std::not_fn(is_own));
  }
  if (std::ranges::any_of(targets, &target::is_alive)) {
    std::erase_if(targets, std::not_fn(&target::is_alive));
  }
  if (targets.empty()) {
    throw error("no weft program runs here; " + std::string(how_to_start));
  }
  if (targets.size() > 1) {
    throw error("several weft programs run here; say which with --pid PID, or --all:\n" +
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
    text += pid + "  " +
            (t.is_trusted() ? t.program + (t.is_alive() ? "" : "  (killed)")
                            : "(not trusted: " + t.check.reason + ")");
  }
  return text;
}

}  // namespace weft::top
