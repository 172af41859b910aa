// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same as hpx/numeric.hpp, under another name that programs include.
#pragma once

#include <hpx/numeric.hpp>  // IWYU pragma: export
