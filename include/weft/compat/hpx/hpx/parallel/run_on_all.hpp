// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same as hpx/experimental/run_on_all.hpp, under another name that programs include.
#pragma once

#include <hpx/experimental/run_on_all.hpp>  // IWYU pragma: export
