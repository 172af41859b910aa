// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend thrust_omp: Thrust (CCCL) on host OpenMP.
#pragma once

#include <iterator>
#include <string>
#include <string_view>

#include <thrust/adjacent_difference.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/find.h>
#include <thrust/for_each.h>
#include <thrust/generate.h>
#include <thrust/inner_product.h>
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
#include <thrust/system/omp/execution_policy.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>
#include <thrust/unique.h>
#include <thrust/version.h>

#include "lab/bench/algorithm_members.hpp"
#include "lab/bench/backends/seq.hpp"
#include "lab/bench/library_loops.hpp"
#include "lab/stl/backends/openmp_threads.hpp"

namespace weft::bench {
namespace in_thrust_omp {
namespace library {

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

// Thrust has these with names and arguments of its own time.

template <std::input_iterator Other, class It, class T, class... Functions>
T transform_reduce(
    const auto& policy, It first, It last, Other other, T init, Functions... functions) {
  return thrust::inner_product(policy, first, last, other, init, functions...);
}
template <class T, class Combine, class Map, class It>
  requires std::invocable<const Map&, std::iter_reference_t<It>>
T transform_reduce(const auto& policy, It first, It last, T init, Combine combine, Map map) {
  return thrust::transform_reduce(policy, first, last, map, init, combine);
}

template <class It, class Out, class Combine, class Map>
Out transform_inclusive_scan(
    const auto& policy, It first, It last, Out out, Combine combine, Map map) {
  return thrust::transform_inclusive_scan(policy, first, last, out, map, combine);
}
template <class It, class Out, class T, class Combine, class Map>
Out transform_exclusive_scan(
    const auto& policy, It first, It last, Out out, T init, Combine combine, Map map) {
  return thrust::transform_exclusive_scan(policy, first, last, out, map, init, combine);
}

}  // namespace library
#define WEFT_BENCH_POLICY thrust::omp::par,
#define WEFT_BENCH_LOOP_POLICY thrust::omp::par,

struct thrust_omp {
  static constexpr std::string_view name = "thrust_omp";
  static constexpr bool is_serial = false;

  WEFT_BENCH_ALGORITHMS(WEFT_BENCH_MEMBER)
  WEFT_BENCH_LOOPS

  static lab::stl::library_versions libraries() {
    return {{"Thrust",
             std::to_string(THRUST_MAJOR_VERSION) + "." + std::to_string(THRUST_MINOR_VERSION) +
                 "." + std::to_string(THRUST_SUBMINOR_VERSION)},
            lab::stl::openmp_library()};
  }
  static constexpr auto with_threads = lab::stl::with_openmp_threads;
};

}  // namespace in_thrust_omp

using in_thrust_omp::thrust_omp;

}  // namespace weft::bench
