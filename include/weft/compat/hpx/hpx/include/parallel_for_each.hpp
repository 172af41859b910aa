// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As hpx/algorithm.hpp.
#pragma once

#include <hpx/algorithm.hpp>  // IWYU pragma: export
