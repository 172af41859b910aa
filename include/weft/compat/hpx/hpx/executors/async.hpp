// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same as hpx/future.hpp, under another name that programs include.
#pragma once

#include <hpx/future.hpp>  // IWYU pragma: export
