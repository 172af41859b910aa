// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes texts to streams and files, and replaces files in one step.
#include "counters/print_destination.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include <unistd.h>

#include "weft/base/error.hpp"
#include "weft/base/message.hpp"
#include "weft/base/options.hpp"

namespace weft::counters::detail {

namespace {

std::string problem_with(const std::string& file) {
  return "counters cannot be written to " + file + ": " + std::strerror(errno);
}

bool put(std::FILE* stream, std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), stream) == text.size() &&
         std::fflush(stream) == 0;
}

}  // namespace

void print_destination::closer::operator()(std::FILE* file) const noexcept {
  static_cast<void>(std::fclose(file));  // nothing is buffered
}

print_destination::print_destination(const std::string& name, bool replaces) {
  if (name == "stdout" || name == "cout") {
    stream_ = stdout;
  } else if (name == "stderr") {
    stream_ = stderr;
  } else if (name != "none") {
    file_ = with_rank(name, process_environment);
    replaces_ = replaces;
    if (!write_file({})) {
      throw error(problem_with(file_) +
                  "; name a file that can be written, or one of stdout, stderr and none");
    }
    owned_.reset(replaces ? nullptr : std::fopen(file_.c_str(), "ae"));
    stream_ = owned_.get();
  }
}

/// Replaces the file: by a new one beside it if others may be reading it.
bool print_destination::write_file(std::string_view text) const {
  const std::string written = replaces_ ? file_ + ".new." + std::to_string(getpid()) : file_;
  const std::unique_ptr<std::FILE, closer> to(std::fopen(written.c_str(), "we"));
  if (to == nullptr) {
    return false;
  }
  const bool is_written = put(to.get(), text);
  return is_written && (!replaces_ || std::rename(written.c_str(), file_.c_str()) == 0);
}

void print_destination::write(std::string_view text) {
  if (text.empty()) {
    return;
  }
  const bool is_written = replaces_ ? write_file(text) : (stream_ == nullptr || put(stream_, text));
  if (!is_written && !has_failed_) {
    has_failed_ = true;
    send_message("weft: " + problem_with(file_.empty() ? "this process's output" : file_) +
                 "; the program goes on without\n");
  }
}

std::string with_rank(const std::string& file, const environment_lookup& lookup) {
  struct launcher {
    const char* rank;
    const char* size;
  };
  constexpr std::array launchers = {launcher{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                    launcher{"PMI_RANK", "PMI_SIZE"},
                                    launcher{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
  for (const launcher& each : launchers) {
    const auto rank = lookup(each.rank);
    const auto size = lookup(each.size);
    if (rank && size && *size != "1") {
      return file + '.' + *rank;
    }
  }
  return file;
}

}  // namespace weft::counters::detail
