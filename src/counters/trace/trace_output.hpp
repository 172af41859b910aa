// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The file of a trace: it has another name until all is written.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/output_file.hpp"

namespace weft::counters::detail {

class trace_output {
 public:
  /// Errors: `weft::error` if the file cannot be written.
  explicit trace_output(std::filesystem::path destination);
  trace_output(const trace_output&) = delete;
  trace_output& operator=(const trace_output&) = delete;
  /// Deletes what was not finished.
  ~trace_output();

  /// What cannot be written, `finish` tells.
  void write(std::string_view bytes) noexcept;
  /// Errors: `weft::error` if not all could be written; there is no file then.
  void finish();

 private:
  std::filesystem::path destination_;
  std::filesystem::path unfinished_;
  weft::detail::output_stream stream_;
  int failure_ = 0;  // errno of the first write that failed
};

}  // namespace weft::counters::detail
