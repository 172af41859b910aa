// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As hpx/exception.hpp.
#pragma once

#include <hpx/exception.hpp>  // IWYU pragma: export
