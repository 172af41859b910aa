// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As hpx/future.hpp.
#pragma once

#include <hpx/future.hpp>  // IWYU pragma: export
