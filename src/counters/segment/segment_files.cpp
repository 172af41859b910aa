// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds files of counter blocks, and removes those that no process will write to again.
#include "weft/counters/segment_files.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "weft/base/text_file.hpp"
#include "weft/counters/segment_format.hpp"

#include "counters/core/untrusted_file.hpp"
#include "counters/segment/segment_trust.hpp"

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

/// Returns the part of `text` before the next dot, and removes both from `text`.
std::string_view cut_part(std::string_view& text) {
  const std::size_t dot = text.find('.');
  const std::string_view part = text.substr(0, dot);
  text = dot == std::string_view::npos ? std::string_view() : text.substr(dot + 1);
  return part;
}

/// Returns the inode number in "pid:[4026531836]", the target of the link /proc/<pid>/ns/pid.
std::uint64_t pid_namespace_of(const std::string& process) {
  std::error_code failed;
  const std::string text = std::filesystem::read_symlink("/proc/" + process + "/ns/pid", failed);
  const std::size_t bracket = text.find('[');
  return failed || bracket == std::string::npos
             ? 0
             : static_cast<std::uint64_t>(
                   base::parse_integer(text.substr(bracket + 1)).value_or(0));
}

/// True if the process is in another PID namespace, so that /proc here does not describe it.
bool is_elsewhere(const detail::segment_origin& origin) {
  return origin.pid_namespace != 0 && origin.pid_namespace != own_pid_namespace();
}

segment_check not_trusted(std::string reason) {
  return {.standing = segment_standing::not_trusted, .reason = std::move(reason)};
}

std::string text_of(const segment_name& name) {
  return "process " + std::to_string(name.pid) + " of user " + std::to_string(name.uid) +
         " that started at clock tick " + std::to_string(name.start_clock_ticks);
}

/// Returns the effective user of a process; nothing if there is no such process.
std::optional<std::uint64_t> process_owner(std::uint64_t pid) {
  // proc(5): the real, effective, saved and file system user
  const auto users =
      base::keyed_value(base::read_lines("/proc/" + std::to_string(pid) + "/status"), "Uid")
          .value_or("");
  const std::size_t effective = users.find_first_of(" \t");
  const auto owner = effective == std::string::npos
                         ? std::nullopt
                         : base::parse_integer(std::string_view(users).substr(effective));
  return owner ? std::optional(static_cast<std::uint64_t>(*owner)) : std::nullopt;
}

/// Checks the file's name, which its owner chose, against the process.
segment_check check_process(const segment_name& name) {
  const auto owner = process_owner(name.pid);
  if (!owner || process_start(name.pid) != name.start_clock_ticks) {
    return {.standing = segment_standing::left_behind};
  }
  constexpr std::uint64_t root = 0;
  if (name.uid != *owner && name.uid != root) {
    return not_trusted("it belongs to user " + std::to_string(name.uid) + ", and process " +
                       std::to_string(name.pid) + " to user " + std::to_string(*owner));
  }
  return {.standing = segment_standing::running};
}

struct ended_segment {
  segment_file file;
  std::chrono::system_clock::time_point found;
};

/// Marks a file whose process was found to have ended. Until then its owner may write the file.
constexpr ::mode_t found_mode = 0400;

std::chrono::system_clock::time_point to_time(const timespec& time) {
  return std::chrono::system_clock::time_point(
      std::chrono::duration_cast<std::chrono::system_clock::duration>(
          std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec)));
}

/// Returns when the process was first found to have ended: now, unless the file is marked. Nothing
/// if the file does not belong to the caller.
std::optional<std::chrono::system_clock::time_point> time_found(const segment_file& file) {
  const detail::opened_file opened = detail::open_segment(file);
  struct stat status{};
  if (!opened.file || ::fstat(opened.file->descriptor(), &status) != 0) {
    return std::nullopt;
  }
  if ((status.st_mode & 0777U) == found_mode) {
    return to_time(status.st_mtim);
  }
  // The mark is set last: a marked file has the time.
  if (::futimens(opened.file->descriptor(), nullptr) != 0 ||
      ::fchmod(opened.file->descriptor(), found_mode) != 0) {
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
  const std::string text = base::read_text("/proc/" + std::to_string(pid) + "/stat").value_or("");
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
  const auto start = base::parse_integer(rest);
  return start ? std::optional(static_cast<std::uint64_t>(*start)) : std::nullopt;
}

std::uint64_t own_pid_namespace() { return pid_namespace_of("self"); }

std::vector<segment_file> segment_files(const std::filesystem::path& folder) {
  constexpr std::size_t most_of_user = 4096;
  std::map<::uid_t, std::size_t> num_of_user;
  std::vector<segment_file> files;
  std::error_code failed;
  for (std::filesystem::directory_iterator it(folder, failed), end; !failed && it != end;
       it.increment(failed)) {
    const auto name = parse_segment_name(it->path().filename().string());
    struct stat status{};
    if (name && ::lstat(it->path().c_str(), &status) == 0 &&
        ++num_of_user[status.st_uid] <= most_of_user) {
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
  const detail::opened_file opened = detail::open_segment(file);
  const auto origin = opened.file ? detail::read_origin(*opened.file) : std::nullopt;
  return !origin || !is_elsewhere(*origin);
}

std::optional<detail::segment_origin> detail::read_origin(const untrusted_file& file) {
  const auto header = std::make_unique<segment_header>();
  auto* const bytes = reinterpret_cast<std::byte*>(header.get());
  if (file.read(0, std::span(bytes, sizeof(segment_header))) < sizeof(segment_header)) {
    return std::nullopt;
  }
  const bool is_ours = header->version == segment_header::current_version &&
                       header->byte_order == segment_header::expected_byte_order;
  return is_ours && header->magic == segment_header::expected_magic
             ? std::optional(
                   segment_origin{.name = {.uid = header->uid,
                                           .pid = header->pid,
                                           .start_clock_ticks = header->start_clock_ticks},
                                  .pid_namespace = header->pid_namespace})
             : std::nullopt;
}

detail::opened_file detail::open_segment(const segment_file& file) {
  return open_untrusted(file.path, {.owner = file.name.uid});
}

segment_check detail::check_segment(const untrusted_file& file, const segment_name& name) {
  const auto origin = read_origin(file);
  if (origin && origin->name != name) {
    return not_trusted("its header is that of " + text_of(origin->name) +
                       ", and its name that of " + text_of(name));
  }
  return origin && is_elsewhere(*origin) ? segment_check{.standing = segment_standing::unseen}
                                         : check_process(name);
}

segment_check check_segment(const segment_file& file) {
  const detail::opened_file opened = detail::open_segment(file);
  if (opened.file) {
    return detail::check_segment(*opened.file, file.name);
  }
  return opened.code == EACCES ? check_process(file.name) : not_trusted(opened.refusal);
}

std::vector<segment_file> reap_segments(const std::filesystem::path& folder,
                                        const reaping& limits) {
  std::vector<ended_segment> ended_segments;
  for (const segment_file& file : segment_files(folder)) {
    if (file.name.uid == ::geteuid() && is_left_behind(file)) {
      if (const auto found = time_found(file)) {
        ended_segments.push_back({.file = file, .found = *found});
      }
    }
  }
  std::ranges::sort(ended_segments, std::ranges::greater(), &ended_segment::found);
  std::vector<segment_file> reaped;
  const auto now = std::chrono::system_clock::now();
  for (std::size_t i = 0; i < ended_segments.size(); ++i) {
    std::error_code failed;
    if ((i >= limits.most || now - ended_segments[i].found >= limits.oldest) &&
        std::filesystem::remove(ended_segments[i].file.path, failed)) {
      reaped.push_back(ended_segments[i].file);
    }
  }
  return reaped;
}

}  // namespace weft::counters
