// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes texts to streams and files, and replaces files in one step.
#include "counters/print/print_destination.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <string>
#include <string_view>
#include <system_error>

#include <unistd.h>

#include "weft/base/error.hpp"
#include "weft/base/message.hpp"
#include "weft/base/options.hpp"

#include "base/output_file.hpp"

namespace weft::counters::detail {

namespace {

std::string problem_with(const std::string& file, const std::string& problem) {
  return "counters cannot be written to " + file + ": " + problem;
}

std::string system_text() { return std::generic_category().message(errno); }

bool put(std::FILE* stream, std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), stream) == text.size() &&
         std::fflush(stream) == 0;
}

}  // namespace

print_destination::print_destination(const std::string& name, bool replaces, bool adds_rank) {
  if (name == "stdout" || name == "cout") {
    stream_ = stdout;
  } else if (name == "stderr") {
    stream_ = stderr;
  } else if (name != "none") {
    file_ = adds_rank ? with_rank(name, base::process_environment) : name;
    replaces_ = replaces;
    const std::string problem = replaces ? problem_of_replacing({}) : open_file();
    if (!problem.empty()) {
      throw error(problem_with(file_, problem) +
                  "; name a file that can be written, or one of stdout, stderr and none");
    }
  }
}

std::string print_destination::open_file() {
  const weft::detail::opened_file opened = weft::detail::open_named_file(file_);
  if (!opened.is_open()) {
    return opened.problem;
  }
  owned_ = weft::detail::stream_of(opened);
  stream_ = owned_.get();
  return stream_ == nullptr ? system_text() : "";
}

std::string print_destination::problem_of_replacing(std::string_view text) const {
  return weft::detail::replace_file(file_, file_ + ".new." + std::to_string(getpid()), text);
}

void print_destination::write(std::string_view text) {
  if (text.empty()) {
    return;
  }
  std::string problem;
  if (replaces_) {
    problem = problem_of_replacing(text);
  } else if (stream_ != nullptr && !put(stream_, text)) {
    problem = system_text();
  }
  if (!problem.empty() && !has_failed_) {
    has_failed_ = true;
    send_message("weft: " + problem_with(file_.empty() ? "this process's output" : file_, problem) +
                 "; the program continues without it\n");
  }
}

std::string with_rank(const std::string& file, const base::environment_lookup& lookup) {
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
