// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The file of a trace. It has a temporary name until all is written.
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
  /// Deletes an unfinished file.
  ~trace_output();

  /// Writes bytes. `finish` reports an error.
  void write(std::string_view bytes) noexcept;
  /// Errors:  `weft::error` if not all could be written; the file is deleted then.
  void finish();

 private:
  std::filesystem::path destination_;
  std::filesystem::path unfinished_;
  weft::detail::output_stream stream_;
  int failure_ = 0;  // errno of the first failed write
};

}  // namespace weft::counters::detail
