// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same as hpx/assert.hpp, under another name that programs include.
#pragma once

#include <hpx/assert.hpp>  // IWYU pragma: export
