// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As hpx/functional.hpp.
#pragma once

#include <hpx/functional.hpp>  // IWYU pragma: export
