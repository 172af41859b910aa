// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The algorithms of libstdc++'s parallel mode that run in parallel and have the standard's
// parameters.
#pragma once

#include <parallel/algorithm>

#include "lab/stl/backends/no_algorithms.hpp"  // IWYU pragma: keep

namespace weft::lab::stl::gnu_algorithms {

using namespace no_algorithms;  // NOLINT(google-build-using-namespace): what stands below hides it
using __gnu_parallel::adjacent_find;
using __gnu_parallel::count;
using __gnu_parallel::count_if;
using __gnu_parallel::equal;
using __gnu_parallel::find;
using __gnu_parallel::find_first_of;
using __gnu_parallel::find_if;
using __gnu_parallel::for_each;
using __gnu_parallel::generate;
using __gnu_parallel::generate_n;
using __gnu_parallel::lexicographical_compare;
using __gnu_parallel::max_element;
using __gnu_parallel::min_element;
using __gnu_parallel::mismatch;
using __gnu_parallel::nth_element;
using __gnu_parallel::partial_sort;
using __gnu_parallel::partition;
using __gnu_parallel::replace;
using __gnu_parallel::replace_if;
using __gnu_parallel::search;
using __gnu_parallel::search_n;
using __gnu_parallel::sort;
using __gnu_parallel::stable_sort;
using __gnu_parallel::transform;
using __gnu_parallel::unique_copy;

}  // namespace weft::lab::stl::gnu_algorithms
