// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same as hpx/iostream.hpp, under another name that programs include.
#pragma once

#include <hpx/iostream.hpp>  // IWYU pragma: export
