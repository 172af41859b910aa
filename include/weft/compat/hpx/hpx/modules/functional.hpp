// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same as hpx/functional.hpp, under another name that programs include.
#pragma once

#include <hpx/functional.hpp>  // IWYU pragma: export
