// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The root of every exception weft throws.
#pragma once

#include <stdexcept>

namespace weft {

/// What every weft exception derives from; `what()` says what happened, why, and what to do
/// instead.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace weft
