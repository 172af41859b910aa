// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which runtimes compute large inputs where sanitizers make this slow.
#pragma once

#include <cstddef>

#include "tests/support/sanitizer.hpp"

namespace weft::test {

/// Whether a runtime, of so many, computes an input of `n` elements. Under sanitizers one runtime
/// in turn computes each large input; elsewhere all runtimes do.
constexpr bool takes_turn(std::size_t n,
                          std::size_t home,
                          std::size_t num_homes,
                          std::size_t turn) {
  constexpr std::size_t small = 5000;
  return !is_sanitized || n <= small || home == turn % num_homes;
}

}  // namespace weft::test
