// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As hpx/format.hpp.
#pragma once

#include <hpx/format.hpp>  // IWYU pragma: export
