// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The range forms of all parallel algorithms.
#pragma once

#include "weft/algorithms/ranges/by_key.hpp"        // IWYU pragma: export
#include "weft/algorithms/ranges/compare.hpp"       // IWYU pragma: export
#include "weft/algorithms/ranges/copy.hpp"          // IWYU pragma: export
#include "weft/algorithms/ranges/copy_if.hpp"       // IWYU pragma: export
#include "weft/algorithms/ranges/find.hpp"          // IWYU pragma: export
#include "weft/algorithms/ranges/for_each.hpp"      // IWYU pragma: export
#include "weft/algorithms/ranges/memory.hpp"        // IWYU pragma: export
#include "weft/algorithms/ranges/merge.hpp"         // IWYU pragma: export
#include "weft/algorithms/ranges/min_max.hpp"       // IWYU pragma: export
#include "weft/algorithms/ranges/numeric.hpp"       // IWYU pragma: export
#include "weft/algorithms/ranges/rearrange.hpp"     // IWYU pragma: export
#include "weft/algorithms/ranges/replace_copy.hpp"  // IWYU pragma: export
#include "weft/algorithms/ranges/sort.hpp"          // IWYU pragma: export
#include "weft/algorithms/ranges/transform.hpp"     // IWYU pragma: export
