// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As hpx/execution.hpp.
#pragma once

#include <hpx/execution.hpp>  // IWYU pragma: export
