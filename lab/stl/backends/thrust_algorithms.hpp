// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thrust's algorithms whose parameters and results are the standard's.
#pragma once

#include <thrust/adjacent_difference.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/find.h>
#include <thrust/for_each.h>
#include <thrust/generate.h>
#include <thrust/logical.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/replace.h>
#include <thrust/reverse.h>
#include <thrust/scan.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/swap.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

#include "lab/stl/backends/no_algorithms.hpp"  // IWYU pragma: keep

namespace weft::lab::stl::thrust_algorithms {

using namespace no_algorithms;  // NOLINT(google-build-using-namespace): what stands below hides it
using thrust::adjacent_difference;
using thrust::all_of;
using thrust::any_of;
using thrust::copy;
using thrust::copy_if;
using thrust::copy_n;
using thrust::count;
using thrust::count_if;
using thrust::exclusive_scan;
using thrust::fill;
using thrust::fill_n;
using thrust::find;
using thrust::find_if;
using thrust::find_if_not;
using thrust::for_each;
using thrust::for_each_n;
using thrust::generate;
using thrust::generate_n;
using thrust::inclusive_scan;
using thrust::is_partitioned;
using thrust::is_sorted;
using thrust::is_sorted_until;
using thrust::max_element;
using thrust::merge;
using thrust::min_element;
using thrust::none_of;
using thrust::partition;
using thrust::reduce;
using thrust::remove;
using thrust::remove_copy;
using thrust::remove_copy_if;
using thrust::remove_if;
using thrust::replace;
using thrust::replace_copy;
using thrust::replace_copy_if;
using thrust::replace_if;
using thrust::reverse;
using thrust::reverse_copy;
using thrust::set_difference;
using thrust::set_intersection;
using thrust::set_symmetric_difference;
using thrust::set_union;
using thrust::sort;
using thrust::stable_partition;
using thrust::stable_sort;
using thrust::swap_ranges;
using thrust::transform;
using thrust::unique;
using thrust::unique_copy;

}  // namespace weft::lab::stl::thrust_algorithms
