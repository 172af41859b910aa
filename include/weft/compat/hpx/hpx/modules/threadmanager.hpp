// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same as hpx/thread.hpp, under another name that programs include.
#pragma once

#include <hpx/thread.hpp>  // IWYU pragma: export
