// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A header that includes what it needs, beside one that does not.
#pragma once

#include <cstddef>

namespace weft::test {

struct complete {
  std::size_t size;
};

}  // namespace weft::test
