// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As hpx/iostream.hpp.
#pragma once

#include <hpx/iostream.hpp>  // IWYU pragma: export
