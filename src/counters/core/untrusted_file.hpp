// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads files that another user may have written, replaced or shortened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "counters/core/mapped_file.hpp"

namespace weft::counters::detail {

/// Whether the last part of a path may be a symbolic link.
enum class last_link : std::uint8_t {
  refused,  // for a path that was found in a folder or in a file
  followed  // for a path that the user typed, or of a shared library
};

/// The requirements on a file.
struct untrusted_options {
  last_link link = last_link::refused;
  std::optional<std::uint64_t> owner = std::nullopt;  // the user who must own the file
  /// If a user other than the caller: that user must own the file unless everybody may read it. A
  /// privileged reader then opens no file for a user who could not open it.
  std::optional<std::uint64_t> on_behalf_of = std::nullopt;
  std::uint64_t most_bytes = std::numeric_limits<std::int64_t>::max();
};

/// A regular file that is open for reading.
///
/// The file is copied by `pread` and never mapped, because a process that shortens a mapped file
/// kills its readers by SIGBUS.
/// Threads: any.
class untrusted_file {
 public:
  explicit untrusted_file(file_descriptor regular_file) noexcept : file_(std::move(regular_file)) {}

  /// Return the file's present attributes; 0, or nobody's id, if unknown.
  [[nodiscard]] std::uint64_t size_bytes() const noexcept;
  [[nodiscard]] std::uint64_t owner() const noexcept;
  [[nodiscard]] std::uint64_t inode() const noexcept;
  [[nodiscard]] int descriptor() const noexcept { return file_.number(); }

  /// Copies bytes of the file to `to`, and returns how many: fewer than requested if the file is
  /// shorter.
  ///
  /// An aligned word of 8 bytes is copied at once, as by a load, because kernels copy no smaller
  /// units from there. Two calls take effect in their order.
  /// Cost:    a system call, and copying.
  [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::byte> to) const noexcept;

  /// Copies objects from `offset` on. False if the file ends before the end of the last one.
  template <class Object, std::size_t extent>
  [[nodiscard]] bool fill(std::uint64_t offset, std::span<Object, extent> to) const noexcept {
    static_assert(std::is_trivially_copyable_v<Object>);
    return read(offset, std::as_writable_bytes(to)) == to.size_bytes();
  }

  /// Returns the object at `offset`; nothing if the file ends before its end.
  template <class Object>
  [[nodiscard]] std::optional<Object> at(std::uint64_t offset) const noexcept {
    Object object{};
    return fill(offset, std::span(&object, 1)) ? std::optional(object) : std::nullopt;
  }

 private:
  file_descriptor file_;
};

/// An open file, or the reason why it was not opened.
struct opened_file {
  std::optional<untrusted_file> file = std::nullopt;
  std::string refusal = {};  // "it is a named pipe and no regular file"
  int code = 0;              // errno of the failed system call; 0: the file is not as required
};

/// Opens a regular file for reading, and no other kind of file.
///
/// Never waits for a pipe's writer, and never opens a device, not even to check it. Folders above
/// the last part of the path may be links.
/// Cost:    four system calls.
/// Errors:  none; see `opened_file`.
/// Example: tests/counters/untrusted_file_test.cpp: a_named_pipe_is_refused_at_once.
[[nodiscard]] opened_file open_untrusted(const std::filesystem::path& path,
                                         const untrusted_options& asked = {});

}  // namespace weft::counters::detail
