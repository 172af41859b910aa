// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts a program, keeps its output, and finds its counters.
#include "top/launched.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>  // WNOHANG and the like, too
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "weft/base/error.hpp"
#include "weft/base/text_file.hpp"
#include "weft/counters/segment_files.hpp"

#include "top/reader.hpp"
#include "top/terminal.hpp"

namespace weft::top {

namespace {

std::uint64_t parent_of(std::uint64_t pid) {
  const auto parent =
      base::keyed_value(base::read_lines("/proc/" + std::to_string(pid) + "/status"), "PPid");
  return static_cast<std::uint64_t>(parent ? base::parse_integer(*parent).value_or(0) : 0);
}

bool descends_from(std::uint64_t pid, std::uint64_t ancestor) {
  constexpr int most_generations = 16;
  for (int i = 0; i < most_generations && pid > 1; ++i) {
    if (pid == ancestor) {
      return true;
    }
    pid = parent_of(pid);
  }
  return false;
}

/// In the child: never returns. Says why through `report`, which a successful start closes.
[[noreturn]] void become(const std::vector<std::string>& program, int output, int report) {
  std::vector<char*> arguments;
  arguments.reserve(program.size() + 1);
  for (const std::string& argument : program) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  (void)::dup2(output >= 0 ? output : STDERR_FILENO, STDOUT_FILENO);
  if (output >= 0) {
    (void)::dup2(output, STDERR_FILENO);
  }
  (void)::signal(SIGPIPE, SIG_DFL);
  (void)::execvp(arguments.front(), arguments.data());
  const int code = errno;
  (void)!::write(report, &code, sizeof code);
  ::_exit(127);
}

}  // namespace

launched::launched(const std::vector<std::string>& program, program_output output) {
  if (output == program_output::kept) {
    output_ = ::memfd_create("weft-top-output", MFD_CLOEXEC);
  }
  std::array<int, 2> report{};
  if (::pipe2(report.data(), O_CLOEXEC) != 0) {
    throw error("cannot start " + program.front() + ": " + std::generic_category().message(errno));
  }
  pid_ = ::fork();
  if (pid_ == 0) {
    become(program, output_, report[1]);
  }
  (void)::close(report[1]);
  int code = pid_ < 0 ? errno : 0;
  if (pid_ > 0) {
    (void)!::read(report[0], &code, sizeof code);
  }
  (void)::close(report[0]);
  if (code != 0) {
    (void)has_ended();
    throw error("cannot start " + program.front() + ": " + std::generic_category().message(code) +
                "; give its path, as in: weft top -- ./" + program.front());
  }
}

launched::~launched() {
  if (output_ >= 0) {
    (void)::close(output_);
  }
}

std::optional<std::filesystem::path> launched::find_file(
    const std::filesystem::path& folder) const {
  for (const counters::segment_file& file : counters::segment_files(folder)) {
    if (descends_from(file.name.pid, static_cast<std::uint64_t>(pid_)) &&
        counters::check_segment(file).standing == counters::segment_standing::running &&
        is_laid_out(file.path)) {
      return file.path;
    }
  }
  return std::nullopt;
}

bool launched::has_ended() {
  int status = 0;
  if (!exit_code_ && ::waitpid(pid_, &status, WNOHANG) == pid_) {
    exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  return exit_code_.has_value();
}

void launched::print_output() {
  std::array<char, 4096> piece{};
  ssize_t num = 0;
  while (output_ >= 0 && (num = ::pread(output_, piece.data(), piece.size(), printed_bytes_)) > 0) {
    (void)!::write(STDOUT_FILENO, piece.data(), static_cast<std::size_t>(num));
    printed_bytes_ += num;
  }
}

int launched::finish() {
  constexpr double look_s = 0.05;
  while (!has_ended()) {
    print_output();
    (void)wait_for(look_s);
  }
  print_output();
  return exit_code_.value_or(0);  // it has one: it has ended
}

}  // namespace weft::top
