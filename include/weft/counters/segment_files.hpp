// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files of counter blocks in a folder: how they are called, whose they are, and when they go.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

namespace weft::counters {

/// The parts of a file name: weft.<uid>.<pid>.<start>.stat.
struct segment_name {
  std::uint64_t uid = 0;
  std::uint64_t pid = 0;
  std::uint64_t start_clock_ticks = 0;  // since boot, as in /proc/<pid>/stat

  bool operator==(const segment_name&) const = default;
};

[[nodiscard]] std::string to_string(const segment_name& name);
/// Nothing if no file of ours is called like that.
[[nodiscard]] std::optional<segment_name> parse_segment_name(std::string_view file_name);

/// When a process started, in clock ticks since boot; nothing if there is no such process.
[[nodiscard]] std::optional<std::uint64_t> process_start(std::uint64_t pid);
/// A number that distinguishes namespaces in which pids mean different processes; 0 if unknown.
[[nodiscard]] std::uint64_t own_pid_namespace();

/// A file that has the name of a segment.
struct segment_file {
  std::filesystem::path path;
  segment_name name;
};

/// All files of counter blocks in `folder`, by pid; of each user at most 4096.
///
/// Reads their names and owners only: any user may have put any file there.
[[nodiscard]] std::vector<segment_file> segment_files(const std::filesystem::path& folder);

/// How a file relates to the process that its name names.
enum class segment_standing : std::uint8_t {
  running,      // the process lives, and the file is that process's own
  unseen,       // the process is in another PID namespace: /proc says nothing about it
  left_behind,  // the process is gone
  not_trusted   // the file is not what its name says, or cannot be opened
};

/// Whether a segment is trusted, and why not.
struct segment_check {
  segment_standing standing = segment_standing::not_trusted;
  std::string reason = {};  // why it is not trusted
};

/// Compares the name of a file with its owner, with its header, and with the process in /proc.
///
/// A running process and its file have one owner; root's files are trusted for any process. The
/// header of a file that the caller may not read is not compared.
/// Cost:    opens the file, which never waits, and reads its header and two files of /proc.
/// Errors:  none; see `segment_check`.
/// Example: tests/counters/segment_files_test.cpp: of_another_user_is_not_the_processs_own.
[[nodiscard]] segment_check check_segment(const segment_file& file);

/// True if the process is no more. False if it lives, or in a namespace that cannot be seen.
[[nodiscard]] bool is_left_behind(const segment_file& file);

/// Which segments of ended processes are removed.
struct reaping {
  std::chrono::seconds oldest{std::chrono::hours(24)};  // since the process was found to have ended
  std::size_t most = 16;                                // that are kept at all
};

/// Removes files of the caller's processes that have ended, and returns which.
///
/// The first caller that finds such a file records the time, as the file's time of change. Files
/// found `oldest` ago are removed, and the oldest in excess of `most`.
[[nodiscard]] std::vector<segment_file> reap_segments(const std::filesystem::path& folder,
                                                      const reaping& limits = {});

}  // namespace weft::counters
