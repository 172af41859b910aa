// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As hpx/assert.hpp.
#pragma once

#include <hpx/assert.hpp>  // IWYU pragma: export
