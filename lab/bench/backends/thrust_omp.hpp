// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend thrust_omp: Thrust (CCCL) on host OpenMP.
#pragma once

#include <iterator>
#include <string>
#include <string_view>

#include <thrust/inner_product.h>
#include <thrust/system/omp/execution_policy.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>
#include <thrust/version.h>

#include "lab/bench/algorithm_members.hpp"
#include "lab/bench/backends/seq.hpp"
#include "lab/bench/library_loops.hpp"
#include "lab/stl/backends/openmp_threads.hpp"
#include "lab/stl/backends/thrust_algorithms.hpp"

namespace weft::bench {
namespace in_thrust_omp {
namespace library {

// The declarations below hide some of these names. NOLINTNEXTLINE(google-build-using-namespace)
using namespace lab::stl::thrust_algorithms;

// Thrust has these algorithms with older names and arguments.

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

#define WEFT_STL_OPERATION(type, name, ...) WEFT_BENCH_MEMBER(name)
#include "lab/stl/operations.inc"
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
