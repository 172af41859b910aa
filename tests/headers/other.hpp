// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A header that has what planted.hpp lacks, and that it does not include.
#pragma once

#include <vector>

namespace weft::test {

inline std::vector<int> three() { return {1, 2, 3}; }

}  // namespace weft::test
