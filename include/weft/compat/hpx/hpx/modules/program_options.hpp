// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same as hpx/program_options.hpp, under another name that programs include.
#pragma once

#include <hpx/program_options.hpp>  // IWYU pragma: export
