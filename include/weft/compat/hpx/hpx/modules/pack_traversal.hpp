// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks through arguments, and what is in containers and tuples among them.
#pragma once

#include <hpx/compat/pack_traversal.hpp>  // IWYU pragma: export
#include <hpx/tuple.hpp>                  // IWYU pragma: export
