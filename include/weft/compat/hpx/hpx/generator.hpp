// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generators, which are weft's.
#pragma once

#include "weft/tasks/generator.hpp"

namespace hpx {
using weft::elements_of;
using weft::generator;
}  // namespace hpx
