// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A header that lacks an include: the check that headers compile alone must find it.
#pragma once

#include "tests/headers/complete.hpp"

namespace weft::test {

inline complete numbers(const std::vector<int>& of) { return {of.size()}; }

}  // namespace weft::test
