// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks the file that a path names before opening it for reading.
#include "counters/core/untrusted_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "counters/core/mapped_file.hpp"

namespace weft::counters::detail {

namespace {

opened_file failure(int code) {
  return {.refusal = std::generic_category().message(code), .code = code};
}

/// Returns the kind of a file that is not a regular file.
std::string kind_of(mode_t mode) {
  switch (mode & static_cast<mode_t>(S_IFMT)) {
    case S_IFLNK:
      return "a symbolic link";
    case S_IFDIR:
      return "a folder";
    case S_IFIFO:
      return "a named pipe";
    case S_IFSOCK:
      return "a socket";
    default:
      return "a device";
  }
}

bool may_read(const struct stat& status, std::uint64_t user) {
  return user == ::geteuid() || status.st_uid == user ||
         (status.st_mode & static_cast<mode_t>(S_IROTH)) != 0;
}

/// Returns why the file is refused; empty if it is as required.
std::string refusal_of(const struct stat& status, const untrusted_options& asked) {
  const auto size_bytes = static_cast<std::uint64_t>(status.st_size);
  const std::string owner = std::to_string(status.st_uid);
  if (!S_ISREG(status.st_mode)) {
    return "it is " + kind_of(status.st_mode) + " and no regular file";
  }
  if (asked.owner && status.st_uid != *asked.owner) {
    return "it belongs to user " + owner + " and not to user " + std::to_string(*asked.owner);
  }
  if (asked.on_behalf_of && !may_read(status, *asked.on_behalf_of)) {
    return "it belongs to user " + owner + ", and user " + std::to_string(*asked.on_behalf_of) +
           " may not read it";
  }
  if (size_bytes > asked.most_bytes) {
    return "it has " + std::to_string(size_bytes) + " bytes, and at most " +
           std::to_string(asked.most_bytes) + " are read";
  }
  return {};
}

/// Returns the kernel's own name of an open file, which cannot be given to another file meanwhile.
std::string name_of(const file_descriptor& file) {
  return "/proc/self/fd/" + std::to_string(file.number());
}

}  // namespace

std::uint64_t untrusted_file::size_bytes() const noexcept {
  struct stat status{};
  return ::fstat(file_.number(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

std::uint64_t untrusted_file::owner() const noexcept {
  struct stat status{};
  constexpr std::uint64_t nobody = ~std::uint64_t{0};
  return ::fstat(file_.number(), &status) == 0 ? status.st_uid : nobody;
}

std::uint64_t untrusted_file::inode() const noexcept {
  struct stat status{};
  return ::fstat(file_.number(), &status) == 0 ? status.st_ino : 0;
}

std::size_t untrusted_file::read(std::uint64_t offset, std::span<std::byte> to) const noexcept {
  constexpr std::uint64_t largest_offset = std::numeric_limits<off_t>::max();
  std::size_t num_read = 0;
  while (num_read < to.size() && offset <= largest_offset - num_read) {
    const std::span<std::byte> rest = to.subspan(num_read);
    const ssize_t num =
        ::pread(file_.number(), rest.data(), rest.size(), static_cast<off_t>(offset + num_read));
    if (num == 0 || (num < 0 && errno != EINTR)) {
      break;
    }
    num_read += static_cast<std::size_t>(std::max<ssize_t>(num, 0));
  }
  return num_read;
}

opened_file open_untrusted(const std::filesystem::path& path, const untrusted_options& asked) {
  // O_PATH only looks up the name. Opening a device for reading may already have an effect.
  const int no_link = asked.link == last_link::refused ? O_NOFOLLOW : 0;
  const file_descriptor found(::open(path.c_str(), O_PATH | O_CLOEXEC | no_link));
  struct stat status{};
  if (!found.is_open() || ::fstat(found.number(), &status) != 0) {
    return failure(errno);
  }
  if (std::string refusal = refusal_of(status, asked); !refusal.empty()) {
    return {.refusal = std::move(refusal)};
  }
  file_descriptor file(::open(name_of(found).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!file.is_open()) {
    return failure(errno);
  }
  return {.file = untrusted_file(std::move(file))};
}

}  // namespace weft::counters::detail
