// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks whether a file of counter blocks belongs to the process that its name says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "weft/counters/segment_files.hpp"

#include "counters/core/untrusted_file.hpp"

namespace weft::counters::detail {

/// The origin that a file's header claims.
struct segment_origin {
  segment_name name = {};
  std::uint64_t pid_namespace = 0;
};

/// Reads the header; nothing if the file is shorter, or its layout has another version.
[[nodiscard]] std::optional<segment_origin> read_origin(const untrusted_file& file);

/// Opens the file if it is a regular file of the user whom its name says.
[[nodiscard]] opened_file open_segment(const segment_file& file);

/// As the public function of that name, for a file that is already open.
[[nodiscard]] segment_check check_segment(const untrusted_file& file, const segment_name& name);

}  // namespace weft::counters::detail
