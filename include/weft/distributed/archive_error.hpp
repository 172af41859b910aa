// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The exception for serialised data that cannot be read.
#pragma once

#include <cstddef>
#include <string_view>

#include "weft/base/abi.hpp"  // IWYU pragma: keep
#include "weft/base/error.hpp"

namespace weft::distributed {

/// Thrown for serialised data that is damaged, truncated or of another type: what was expected, and
/// at which byte.
///
/// Example: tests/distributed/archive_error_test.cpp: the_message_names_byte_and_expectation.
class archive_error : public error {
 public:
  /// `expected` completes the sentence "Expected ...".
  archive_error(std::size_t offset_bytes, std::string_view expected);

  /// The byte of the data at which reading stopped.
  [[nodiscard]] std::size_t offset_bytes() const noexcept { return offset_bytes_; }

 private:
  std::size_t offset_bytes_;
};

}  // namespace weft::distributed
