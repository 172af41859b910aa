// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same as hpx/runtime.hpp, under another name that programs include.
#pragma once

#include <hpx/runtime.hpp>  // IWYU pragma: export
