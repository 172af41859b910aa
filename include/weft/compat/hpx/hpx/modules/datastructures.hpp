// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same as hpx/tuple.hpp, under another name that programs include.
#pragma once

#include <hpx/tuple.hpp>  // IWYU pragma: export
