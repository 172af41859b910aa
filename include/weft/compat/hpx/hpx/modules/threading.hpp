// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As hpx/thread.hpp.
#pragma once

#include <hpx/thread.hpp>  // IWYU pragma: export
