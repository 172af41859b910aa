// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As hpx/tuple.hpp.
#pragma once

#include <hpx/tuple.hpp>  // IWYU pragma: export
