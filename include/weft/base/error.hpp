// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The root of every exception weft throws.
#pragma once

#include <stdexcept>
#include <string>

#include "weft/base/printable.hpp"

namespace weft {

/// What every weft exception derives from; `what()` says what happened, why, and what to do
/// instead.
///
/// The message may name files and programs, so it is masked: a program can print it to a terminal.
class error : public std::runtime_error {
 public:
  explicit error(const std::string& what) : std::runtime_error(printable(what)) {}
};

}  // namespace weft
