// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same as hpx/algorithm.hpp, under another name that programs include.
#pragma once

#include <hpx/algorithm.hpp>  // IWYU pragma: export
