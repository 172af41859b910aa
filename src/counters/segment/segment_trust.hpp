// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a file of counter blocks is what its name says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "weft/counters/segment_files.hpp"

#include "counters/core/untrusted_file.hpp"

namespace weft::counters::detail {

/// What the header says about whose file it is.
struct segment_origin {
  segment_name name = {};
  std::uint64_t pid_namespace = 0;
};

/// Reads the beginning; nothing if the file ends before, or if another version laid it out.
[[nodiscard]] std::optional<segment_origin> read_origin(const untrusted_file& file);

/// Opens the file if it is a regular file of the user that its name names.
[[nodiscard]] opened_file open_segment(const segment_file& file);

/// As the public function of that name, of a file that is open already.
[[nodiscard]] segment_check check_segment(const untrusted_file& file, const segment_name& name);

}  // namespace weft::counters::detail
