// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same as hpx/config.hpp, under another name that programs include.
#pragma once

#include <hpx/config.hpp>  // IWYU pragma: export
