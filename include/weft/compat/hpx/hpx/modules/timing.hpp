// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As hpx/chrono.hpp.
#pragma once

#include <hpx/chrono.hpp>  // IWYU pragma: export
