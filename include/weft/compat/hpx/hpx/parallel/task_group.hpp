// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same as hpx/experimental/task_group.hpp, under another name that programs include.
#pragma once

#include <hpx/experimental/task_group.hpp>  // IWYU pragma: export
