// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend thrust_omp: Thrust (CCCL) on host OpenMP.
#include <string>

#include <thrust/equal.h>                        // IWYU pragma: keep
#include <thrust/mismatch.h>                     // IWYU pragma: keep
#include <thrust/system/omp/execution_policy.h>  // IWYU pragma: keep
#include <thrust/transform_reduce.h>             // IWYU pragma: keep
#include <thrust/transform_scan.h>               // IWYU pragma: keep
#include <thrust/uninitialized_copy.h>           // IWYU pragma: keep
#include <thrust/uninitialized_fill.h>           // IWYU pragma: keep
#include <thrust/version.h>

#include "lab/stl/backend.hpp"
#include "lab/stl/backends/openmp_threads.hpp"
#include "lab/stl/backends/thrust_algorithms.hpp"  // IWYU pragma: keep
#include "lab/stl/backends/versions.hpp"

namespace weft::lab::stl::library {

// The declarations below hide some of these names. NOLINTNEXTLINE(google-build-using-namespace)
using namespace thrust_algorithms;
using thrust::minmax_element;
using thrust::partition_copy;
using thrust::uninitialized_copy;
using thrust::uninitialized_copy_n;
using thrust::uninitialized_fill;
using thrust::uninitialized_fill_n;

// Thrust has these algorithms with older parameters.

template <class Policy, class T>
bool equal(const Policy& policy, const T* left, const T* left_last, const T* right, const T* last) {
  return last - right == left_last - left && thrust::equal(policy, left, left_last, right);
}

template <class Policy, class T>
auto mismatch(const Policy& policy, const T* left, const T* left_last, const T* right, const T*) {
  return thrust::mismatch(policy, left, left_last, right);
}

template <class Policy, class T, class Combine, class Map>
T transform_reduce(
    const Policy& policy, const T* first, const T* last, T init, Combine combine, Map map) {
  return thrust::transform_reduce(policy, first, last, map, init, combine);
}

template <class Policy, class T, class Combine, class Map>
T* transform_inclusive_scan(
    const Policy& policy, const T* first, const T* last, T* out, Combine combine, Map map) {
  return thrust::transform_inclusive_scan(policy, first, last, out, map, combine);
}

template <class Policy, class T, class Combine, class Map>
T* transform_exclusive_scan(
    const Policy& policy, const T* first, const T* last, T* out, T init, Combine combine, Map map) {
  return thrust::transform_exclusive_scan(policy, first, last, out, map, init, combine);
}

}  // namespace weft::lab::stl::library
#define WEFT_STL_POLICY thrust::omp::par,
#include "lab/stl/backends/library_operations.hpp"

namespace weft::lab::stl {
namespace {

library_versions::value_type thrust_library() {
  return {"Thrust",
          std::to_string(THRUST_MAJOR_VERSION) + "." + std::to_string(THRUST_MINOR_VERSION) + "." +
              std::to_string(THRUST_SUBMINOR_VERSION)};
}

}  // namespace

const backend& linked_backend() {
  static const backend thrust_omp{
      .name = "thrust_omp",
      .scratch = {.sort = 2.5, .copy_if = 2.0, .others = 1.0},  // copy_if: an index per element
      .typed_operations = {library_operations<int>(),
                           library_operations<float>(),
                           library_operations<double>()},
      .libraries = [] { return library_versions{thrust_library(), openmp_library()}; },
      .with_threads = with_openmp_threads};
  return thrust_omp;
}

}  // namespace weft::lab::stl
