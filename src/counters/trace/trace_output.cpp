// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes to a temporary file and renames it at the end.
#include "counters/trace/trace_output.hpp"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "weft/base/error.hpp"

#include "base/output_file.hpp"

namespace weft::counters::detail {
namespace {

error cannot_write(const std::filesystem::path& file, const std::string& why) {
  return error("weft: cannot write the trace " + file.string() + ": " + why);
}

}  // namespace

trace_output::trace_output(std::filesystem::path destination)
    : destination_(std::move(destination)), unfinished_(destination_.string() + ".unfinished") {
  const weft::detail::opened_file opened = weft::detail::create_own_file(unfinished_);
  if (!opened.is_open()) {
    throw cannot_write(destination_,
                       opened.problem + "; name a file in a folder that you may write to");
  }
  stream_ = weft::detail::stream_of(opened);
  failure_ = stream_ == nullptr ? errno : 0;
}

trace_output::~trace_output() {
  if (stream_ != nullptr) {
    stream_ = nullptr;
    static_cast<void>(std::remove(unfinished_.c_str()));
  }
}

void trace_output::write(std::string_view bytes) noexcept {
  if (failure_ == 0 && std::fwrite(bytes.data(), 1, bytes.size(), stream_.get()) != bytes.size()) {
    failure_ = errno;
  }
}

void trace_output::finish() {
  if (stream_ != nullptr && std::fclose(stream_.release()) != 0 && failure_ == 0) {
    failure_ = errno;
  }
  std::error_code failure(failure_, std::generic_category());
  if (!failure) {
    std::filesystem::rename(unfinished_, destination_, failure);
  }
  if (failure) {
    std::error_code ignored;
    std::filesystem::remove(unfinished_, ignored);
    throw cannot_write(destination_,
                       failure.message() + "; free some space, or name a file elsewhere");
  }
}

}  // namespace weft::counters::detail
