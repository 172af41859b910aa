// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same as hpx/compat/launch.hpp, under another name that programs include.
#pragma once

#include <hpx/compat/launch.hpp>  // IWYU pragma: export
