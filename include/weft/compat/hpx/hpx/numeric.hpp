// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parallel algorithms of <numeric>.
#pragma once

#include <hpx/algorithm.hpp>  // IWYU pragma: export
