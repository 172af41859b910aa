// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A future that can be copied. Each of the two types makes the other one, so future.hpp holds both.
#pragma once

#include "weft/tasks/future.hpp"  // IWYU pragma: export
