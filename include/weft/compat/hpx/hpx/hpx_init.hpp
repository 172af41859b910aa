// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As hpx/init.hpp.
#pragma once

#include <hpx/init.hpp>  // IWYU pragma: export
