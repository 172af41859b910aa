// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All parallel algorithms.
#pragma once

#include "weft/algorithms/adjacent_find.hpp"            // IWYU pragma: export
#include "weft/algorithms/all_of.hpp"                   // IWYU pragma: export
#include "weft/algorithms/contains.hpp"                 // IWYU pragma: export
#include "weft/algorithms/count.hpp"                    // IWYU pragma: export
#include "weft/algorithms/equal.hpp"                    // IWYU pragma: export
#include "weft/algorithms/find.hpp"                     // IWYU pragma: export
#include "weft/algorithms/find_first_of.hpp"            // IWYU pragma: export
#include "weft/algorithms/find_last.hpp"                // IWYU pragma: export
#include "weft/algorithms/fold_left.hpp"                // IWYU pragma: export
#include "weft/algorithms/for_each.hpp"                 // IWYU pragma: export
#include "weft/algorithms/for_loop.hpp"                 // IWYU pragma: export
#include "weft/algorithms/histogram.hpp"                // IWYU pragma: export
#include "weft/algorithms/includes.hpp"                 // IWYU pragma: export
#include "weft/algorithms/inplace_merge.hpp"            // IWYU pragma: export
#include "weft/algorithms/is_heap.hpp"                  // IWYU pragma: export
#include "weft/algorithms/is_partitioned.hpp"           // IWYU pragma: export
#include "weft/algorithms/is_sorted.hpp"                // IWYU pragma: export
#include "weft/algorithms/lexicographical_compare.hpp"  // IWYU pragma: export
#include "weft/algorithms/merge.hpp"                    // IWYU pragma: export
#include "weft/algorithms/min_max.hpp"                  // IWYU pragma: export
#include "weft/algorithms/mismatch.hpp"                 // IWYU pragma: export
#include "weft/algorithms/nth_element.hpp"              // IWYU pragma: export
#include "weft/algorithms/parameters.hpp"               // IWYU pragma: export
#include "weft/algorithms/partial_sort.hpp"             // IWYU pragma: export
#include "weft/algorithms/policy.hpp"                   // IWYU pragma: export
#include "weft/algorithms/reduce.hpp"                   // IWYU pragma: export
#include "weft/algorithms/reduce_by_key.hpp"            // IWYU pragma: export
#include "weft/algorithms/search.hpp"                   // IWYU pragma: export
#include "weft/algorithms/set_operations.hpp"           // IWYU pragma: export
#include "weft/algorithms/sort.hpp"                     // IWYU pragma: export
#include "weft/algorithms/sort_by_key.hpp"              // IWYU pragma: export
#include "weft/algorithms/stable_sort.hpp"              // IWYU pragma: export
#include "weft/algorithms/starts_with.hpp"              // IWYU pragma: export
#include "weft/algorithms/transform_reduce.hpp"         // IWYU pragma: export
