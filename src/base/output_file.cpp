// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Follows links one by one, and checks the owner of each.
#include "base/output_file.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>  // fdopen
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

namespace weft::detail {
namespace {

namespace fs = std::filesystem;

constexpr unsigned anybody = 0666;  // minus the process's umask
constexpr unsigned only_mine = 0600;
constexpr int most_attempts = 40;  // Linux also follows at most 40 links

opened_file failure() { return {.problem = std::generic_category().message(errno)}; }

opened_file refused(int file, std::string why) {
  static_cast<void>(close(file));
  return {.problem = std::move(why)};
}

std::string whose(const struct stat& status) {
  return "it belongs to user " + std::to_string(status.st_uid) + ", not to user " +
         std::to_string(geteuid());
}

/// Returns why an existing file must not be used as this process's own; empty: it may be used.
std::string problem_of_own(const struct stat& status) {
  if (!S_ISREG(status.st_mode)) {
    return "it is no regular file";
  }
  if (status.st_uid != geteuid()) {
    return whose(status);
  }
  return status.st_nlink > 1 ? "it has a second name, a hard link" : "";
}

/// Returns why an existing file must not be emptied; empty: it may be emptied.
std::string problem_of_named(const struct stat& status, const fs::path& path) {
  struct stat folder = {};
  const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!S_ISREG(status.st_mode) || stat(parent.c_str(), &folder) != 0) {
    return {};
  }
  const bool is_shared = (folder.st_mode & S_ISVTX) != 0 && (folder.st_mode & S_IWOTH) != 0;
  const bool is_trusted = status.st_uid == geteuid() || status.st_uid == folder.st_uid;
  return is_shared && !is_trusted ? whose(status) : "";
}

constexpr int named_flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY;

opened_file emptied(int file, const fs::path& path) {
  struct stat status = {};
  if (fstat(file, &status) != 0) {
    return refused(file, failure().problem);
  }
  if (std::string problem = problem_of_named(status, path); !problem.empty()) {
    return refused(file, std::move(problem));
  }
  if (S_ISREG(status.st_mode) && ftruncate(file, 0) != 0) {
    return refused(file, failure().problem);
  }
  return {.number = file};
}

/// A link, held by its descriptor, so that it cannot be exchanged while it is checked.
class held_link {
 public:
  explicit held_link(const fs::path& path) noexcept
      : number_(open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC)) {
    if (number_ >= 0 && fstat(number_, &status_) != 0) {
      status_ = {};
    }
  }
  held_link(const held_link&) = delete;
  held_link& operator=(const held_link&) = delete;
  ~held_link() { static_cast<void>(close(number_)); }

  [[nodiscard]] bool is_link() const noexcept { return S_ISLNK(status_.st_mode); }
  [[nodiscard]] bool is_trusted() const noexcept {
    return status_.st_uid == geteuid() || status_.st_uid == 0;
  }
  [[nodiscard]] std::string whose() const { return detail::whose(status_); }
  /// True for the kernel's own links, such as /proc/self/fd/1, whose text is not a path.
  [[nodiscard]] bool is_of_proc() const noexcept {
    struct statfs system = {};
    return fstatfs(number_, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
  }
  [[nodiscard]] fs::path target() const {
    std::array<char, 4096> text{};
    const ssize_t size = readlinkat(number_, "", text.data(), text.size());
    return size <= 0 ? std::string() : std::string(text.data(), static_cast<std::size_t>(size));
  }

 private:
  int number_;
  struct stat status_ = {};
};

}  // namespace

opened_file create_own_file(const fs::path& path) {
  static_cast<void>(unlink(path.c_str()));
  const int file =
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, anybody);
  return file < 0 ? failure() : opened_file{.number = file};
}

opened_file create_or_open_own_file(const fs::path& path) {
  constexpr int flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    int file = open(path.c_str(), flags | O_CREAT | O_EXCL, only_mine);
    if (file >= 0) {
      return {.number = file};
    }
    if (errno != EEXIST) {
      return failure();
    }
    file = open(path.c_str(), flags);
    if (file < 0 && errno == ENOENT) {
      continue;  // it was deleted in between
    }
    if (file < 0) {
      return errno == ELOOP ? opened_file{.problem = "it is a symbolic link"} : failure();
    }
    struct stat status = {};
    if (fstat(file, &status) != 0) {
      return refused(file, failure().problem);
    }
    std::string problem = problem_of_own(status);
    return problem.empty() ? opened_file{.number = file} : refused(file, std::move(problem));
  }
  return {.problem = "it comes and goes"};
}

opened_file open_named_file(const fs::path& named) {
  fs::path path = named;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    const int file = open(path.c_str(), named_flags | O_NOFOLLOW, anybody);
    if (file >= 0) {
      return emptied(file, path);
    }
    if (errno != ELOOP) {
      return failure();
    }
    const held_link link(path);
    if (!link.is_link()) {
      continue;  // it was exchanged in between
    }
    if (!link.is_trusted()) {
      return {.problem =
                  "the symbolic link " + path.string() + " is not followed: " + link.whose()};
    }
    if (link.is_of_proc()) {
      const int followed = open(path.c_str(), named_flags, anybody);
      return followed < 0 ? failure() : emptied(followed, path);
    }
    path = path.parent_path() / link.target();
  }
  errno = ELOOP;
  return failure();
}

std::string replace_file(const fs::path& path, const fs::path& beside, std::string_view text) {
  const opened_file opened = create_own_file(beside);
  if (!opened.is_open()) {
    return opened.problem;
  }
  output_stream stream = stream_of(opened);
  const bool is_written = stream != nullptr &&
                          std::fwrite(text.data(), 1, text.size(), stream.get()) == text.size() &&
                          std::fflush(stream.get()) == 0;
  if (is_written && std::rename(beside.c_str(), path.c_str()) == 0) {
    return {};
  }
  std::string problem = failure().problem;
  static_cast<void>(unlink(beside.c_str()));
  return problem;
}

output_stream stream_of(const opened_file& file) {
  output_stream stream(fdopen(file.number, "w"));
  if (stream == nullptr) {
    static_cast<void>(close(file.number));
  }
  return stream;
}

}  // namespace weft::detail
