// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values out of futures.
#pragma once

#include <hpx/compat/pack_traversal.hpp>  // IWYU pragma: export
#include <hpx/future.hpp>                 // IWYU pragma: export
