// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same as hpx/init.hpp, under another name that programs include.
#pragma once

#include <hpx/init.hpp>  // IWYU pragma: export
