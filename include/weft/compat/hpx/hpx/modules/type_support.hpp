// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As hpx/config.hpp.
#pragma once

#include <hpx/config.hpp>  // IWYU pragma: export
