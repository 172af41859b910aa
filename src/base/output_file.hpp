// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens files for writing so that another user's link or file cannot redirect the writing.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace weft::detail {

/// A descriptor that the caller owns, or the reason why there is none.
struct opened_file {
  int number = -1;
  std::string problem = {};  // the end of a sentence: "Permission denied"

  [[nodiscard]] bool is_open() const noexcept { return number >= 0; }
};

/// Creates a file for this process, with a name that weft chose: "trace.pftrace.unfinished".
///
/// Deletes an existing file of that name. Never follows a link.
[[nodiscard]] opened_file create_own_file(const std::filesystem::path& path);

/// Opens a file for reading and writing. A file that this user has left there is opened without
/// emptying it, because another process may use it.
///
/// Opens only a regular file of this user that has one name, and never follows a link.
[[nodiscard]] opened_file create_or_open_own_file(const std::filesystem::path& path);

/// Opens the file that the user named for appending, and empties it. Creates it if it does not
/// exist.
///
/// Follows a symbolic link only if it belongs to this user or to root. In a folder that all users
/// share, such as /tmp, a regular file must belong to this user or to the folder's owner.
[[nodiscard]] opened_file open_named_file(const std::filesystem::path& path);

struct stream_closer {
  void operator()(std::FILE* stream) const noexcept { static_cast<void>(std::fclose(stream)); }
};
using output_stream = std::unique_ptr<std::FILE, stream_closer>;

/// Replaces `path` in one step by a file with the content `text`, which is first written as
/// `beside`.
///
/// A reader of `path` finds the old text or the new one. Returns an error message; empty: success.
[[nodiscard]] std::string replace_file(const std::filesystem::path& path,
                                       const std::filesystem::path& beside,
                                       std::string_view text);

/// Takes ownership of the descriptor. Null, with `errno` set, if no stream can be made.
[[nodiscard]] output_stream stream_of(const opened_file& file);

}  // namespace weft::detail
