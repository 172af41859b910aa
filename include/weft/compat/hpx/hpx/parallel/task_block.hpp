// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same as hpx/task_block.hpp, under another name that programs include.
#pragma once

#include <hpx/task_block.hpp>  // IWYU pragma: export
