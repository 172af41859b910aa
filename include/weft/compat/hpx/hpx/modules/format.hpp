// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same as hpx/format.hpp, under another name that programs include.
#pragma once

#include <hpx/format.hpp>  // IWYU pragma: export
