// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As hpx/program_options.hpp.
#pragma once

#include <hpx/program_options.hpp>  // IWYU pragma: export
