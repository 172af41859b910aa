// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same as hpx/chrono.hpp, under another name that programs include.
#pragma once

#include <hpx/chrono.hpp>  // IWYU pragma: export
