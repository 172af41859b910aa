// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens files for writing so that another user's link or file cannot redirect the writing.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace weft::detail {

/// A descriptor that the caller owns, or why there is none.
struct opened_file {
  int number = -1;
  std::string problem = {};  // the end of a sentence: "Permission denied"

  [[nodiscard]] bool is_open() const noexcept { return number >= 0; }
};

/// Makes a new file for this process, of a name that weft chose: "trace.pftrace.unfinished".
///
/// Deletes what has that name. Never follows a link.
[[nodiscard]] opened_file create_own_file(const std::filesystem::path& path);

/// The same for reading and writing, but opens a file that this user left there, without emptying
/// it: another process may use that file.
///
/// Opens only a regular file of this user that has one name, and never follows a link.
[[nodiscard]] opened_file create_or_open_own_file(const std::filesystem::path& path);

/// Opens the file that the user named, for appending, and empties it. Makes it if it is not there.
///
/// Follows a symbolic link only if it belongs to this user or to root. In a folder that all users
/// share, such as /tmp, a regular file must belong to this user or to the folder's owner.
[[nodiscard]] opened_file open_named_file(const std::filesystem::path& path);

struct stream_closer {
  void operator()(std::FILE* stream) const noexcept { static_cast<void>(std::fclose(stream)); }
};
using output_stream = std::unique_ptr<std::FILE, stream_closer>;

/// Replaces `path` in one step by a file that holds `text`, which is written as `beside` first.
///
/// Who reads `path` finds the old text or the new one. Returns what went wrong; empty: nothing.
[[nodiscard]] std::string replace_file(const std::filesystem::path& path,
                                       const std::filesystem::path& beside,
                                       std::string_view text);

/// Takes over the descriptor; null, with `errno` set, if there can be no stream.
[[nodiscard]] output_stream stream_of(const opened_file& file);

}  // namespace weft::detail
