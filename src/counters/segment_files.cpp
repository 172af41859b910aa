// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds files of counter blocks and removes those that no process will write to again.
#include "weft/counters/segment_files.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "weft/base/text_file.hpp"
#include "weft/counters/segment_format.hpp"

namespace weft::counters {

namespace {

constexpr std::string_view prefix = "weft.";
constexpr std::string_view suffix = ".stat";

std::optional<std::uint64_t> whole(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size() && !text.empty()
             ? std::optional(value)
             : std::nullopt;
}

/// The part of `text` before the next dot, which is cut off with it.
std::string_view cut_part(std::string_view& text) {
  const std::size_t dot = text.find('.');
  const std::string_view part = text.substr(0, dot);
  text = dot == std::string_view::npos ? std::string_view() : text.substr(dot + 1);
  return part;
}

/// The inode number in "pid:[4026531836]", what /proc/<pid>/ns/pid points to.
std::uint64_t pid_namespace_of(const std::string& process) {
  std::error_code failed;
  const std::string text = std::filesystem::read_symlink("/proc/" + process + "/ns/pid", failed);
  const std::size_t bracket = text.find('[');
  return failed || bracket == std::string::npos
             ? 0
             : static_cast<std::uint64_t>(parse_integer(text.substr(bracket + 1)).value_or(0));
}

/// From the header; nothing if it holds none.
std::optional<std::uint64_t> noted_namespace(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const auto header = std::make_unique<segment_header>();
  if (!file.read(reinterpret_cast<char*>(header.get()), sizeof(segment_header))) {
    return std::nullopt;
  }
  const bool is_ours = header->magic == segment_header::expected_magic &&
                       header->version == segment_header::current_version &&
                       header->byte_order == segment_header::expected_byte_order;
  return is_ours ? std::optional(header->pid_namespace) : std::nullopt;
}

struct corpse {
  segment_file file;
  std::chrono::system_clock::time_point found;
};

/// A file whose owner may not run it: with this permission it was found before.
constexpr ::mode_t found_mode = 0400;

std::chrono::system_clock::time_point to_time(const timespec& time) {
  return std::chrono::system_clock::time_point(
      std::chrono::duration_cast<std::chrono::system_clock::duration>(
          std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec)));
}

/// When the process was first found gone: now, unless somebody did before. Nothing if the file is
/// not the caller's.
std::optional<std::chrono::system_clock::time_point> time_found(const std::filesystem::path& path) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_uid != ::geteuid()) {
    return std::nullopt;
  }
  if ((status.st_mode & 0777U) == found_mode) {
    return to_time(status.st_mtim);
  }
  // The mark comes last: a file with it has the time.
  if (::utimensat(AT_FDCWD, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW) != 0 ||
      ::chmod(path.c_str(), found_mode) != 0) {
    return std::nullopt;
  }
  return std::chrono::system_clock::now();
}

}  // namespace

std::string to_string(const segment_name& name) {
  return std::string(prefix) + std::to_string(name.uid) + "." + std::to_string(name.pid) + "." +
         std::to_string(name.start_clock_ticks) + std::string(suffix);
}

std::optional<segment_name> parse_segment_name(std::string_view file_name) {
  if (!file_name.starts_with(prefix) || !file_name.ends_with(suffix) ||
      file_name.size() <= prefix.size() + suffix.size()) {
    return std::nullopt;
  }
  file_name.remove_prefix(prefix.size());
  file_name.remove_suffix(suffix.size());
  const auto uid = whole(cut_part(file_name));
  const auto pid = whole(cut_part(file_name));
  const auto start = whole(file_name);
  if (!uid || !pid || !start) {
    return std::nullopt;
  }
  return segment_name{.uid = *uid, .pid = *pid, .start_clock_ticks = *start};
}

std::optional<std::uint64_t> process_start(std::uint64_t pid) {
  const std::string text = read_text("/proc/" + std::to_string(pid) + "/stat").value_or("");
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) {
    return std::nullopt;
  }
  // proc(5): the start time is field 22, the state after the name is field 3
  std::string_view rest = std::string_view(text).substr(name_end + 1);
  for (int field = 3; field < 22; ++field) {
    const std::size_t blank = rest.find(' ', 1);
    if (blank == std::string_view::npos) {
      return std::nullopt;
    }
    if (field == 3 && (rest[1] == 'Z' || rest[1] == 'X')) {
      return std::nullopt;  // a zombie has no memory any more
    }
    rest = rest.substr(blank);
  }
  const auto start = parse_integer(rest);
  return start ? std::optional(static_cast<std::uint64_t>(*start)) : std::nullopt;
}

std::uint64_t own_pid_namespace() { return pid_namespace_of("self"); }

std::vector<segment_file> segment_files(const std::filesystem::path& folder) {
  std::vector<segment_file> files;
  std::error_code failed;
  for (std::filesystem::directory_iterator it(folder, failed), end; !failed && it != end;
       it.increment(failed)) {
    if (const auto name = parse_segment_name(it->path().filename().string())) {
      files.push_back({.path = it->path(), .name = *name});
    }
  }
  std::ranges::sort(files, {}, [](const segment_file& file) { return file.name.pid; });
  return files;
}

bool is_left_behind(const segment_file& file) {
  if (process_start(file.name.pid) == file.name.start_clock_ticks) {
    return false;
  }
  const auto home = noted_namespace(file.path);
  return !home || *home == 0 || *home == own_pid_namespace();
}

std::vector<segment_file> reap_segments(const std::filesystem::path& folder,
                                        const reaping& limits) {
  std::vector<corpse> corpses;
  for (const segment_file& file : segment_files(folder)) {
    if (file.name.uid == ::geteuid() && is_left_behind(file)) {
      if (const auto found = time_found(file.path)) {
        corpses.push_back({.file = file, .found = *found});
      }
    }
  }
  std::ranges::sort(corpses, std::ranges::greater(), &corpse::found);
  std::vector<segment_file> reaped;
  const auto now = std::chrono::system_clock::now();
  for (std::size_t i = 0; i < corpses.size(); ++i) {
    std::error_code failed;
    if ((i >= limits.most || now - corpses[i].found >= limits.oldest) &&
        std::filesystem::remove(corpses[i].file.path, failed)) {
      reaped.push_back(corpses[i].file);
    }
  }
  return reaped;
}

}  // namespace weft::counters
