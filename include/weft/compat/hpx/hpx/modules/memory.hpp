// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same as hpx/memory.hpp, under another name that programs include.
#pragma once

#include <hpx/memory.hpp>  // IWYU pragma: export
