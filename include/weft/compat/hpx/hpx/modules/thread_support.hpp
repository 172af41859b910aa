// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same as hpx/mutex.hpp, under another name that programs include.
#pragma once

#include <hpx/mutex.hpp>  // IWYU pragma: export
