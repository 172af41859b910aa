// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same as hpx/exception.hpp, under another name that programs include.
#pragma once

#include <hpx/exception.hpp>  // IWYU pragma: export
