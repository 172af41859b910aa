// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same as hpx/execution.hpp, under another name that programs include.
#pragma once

#include <hpx/execution.hpp>  // IWYU pragma: export
