// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names of all algorithms, as functions that cannot be called, for libraries that lack some.
#pragma once

/// A backend's namespace `library` may use this namespace; its own declarations hide these.
namespace weft::lab::stl::no_algorithms {

struct nobody;

#define WEFT_STL_OPERATION(type, name, ...) void name(nobody);
#include "lab/stl/operations.inc"

}  // namespace weft::lab::stl::no_algorithms
