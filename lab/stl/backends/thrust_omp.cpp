// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend thrust_omp: Thrust (CCCL) on host OpenMP.
#include <cstddef>
#include <string>

#include <thrust/copy.h>
#include <thrust/find.h>
#include <thrust/for_each.h>
#include <thrust/merge.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/system/omp/execution_policy.h>  // IWYU pragma: keep
#include <thrust/transform.h>
#include <thrust/version.h>

#include "lab/stl/backend.hpp"
#include "lab/stl/backends/openmp_threads.hpp"
#include "lab/stl/backends/versions.hpp"
#include "lab/stl/kernels.hpp"
#include "lab/stl/operations.hpp"

namespace weft::lab::stl {
namespace {

template <class T>
operations<T> offered() {
  using thrust::omp::par;  // NOLINT(misc-include-cleaner): the library declares it in an inner
                           // header
  using in = const T*;
  return {.touch = [](T* first,
                      T* last) { thrust::for_each(par, first, last, kernels::first_write{}); },
          .find = [](in first, in last, T value) { return thrust::find(par, first, last, value); },
          .for_each =
              [](T* first, T* last, std::size_t k_it) {
                const kernels::store_count kernel{k_it};
                thrust::for_each(par, first, last, kernel);
              },
          .inclusive_scan = [](in first,
                               in last,
                               T* out) { return thrust::inclusive_scan(par, first, last, out); },
          .reduce = [](in first, in last) { return thrust::reduce(par, first, last); },
          .sort = [](T* first, T* last) { thrust::sort(par, first, last); },
          .copy = [](in first, in last, T* out) { return thrust::copy(par, first, last, out); },
          .copy_if =
              [](in first, in last, T* out) {
                return thrust::copy_if(par, first, last, out, kernels::is_selected{});
              },
          .transform =
              [](in first, in last, T* out) {
                return thrust::transform(par, first, last, out, kernels::scale{});
              },
          .merge =
              [](in left, in left_last, in right, in right_last, T* out) {
                return thrust::merge(par, left, left_last, right, right_last, out);
              }};
}

library_versions::value_type thrust_library() {
  return {"Thrust",
          std::to_string(THRUST_MAJOR_VERSION) + "." + std::to_string(THRUST_MINOR_VERSION) + "." +
              std::to_string(THRUST_SUBMINOR_VERSION)};
}

}  // namespace

const backend& linked_backend() {
  static const backend thrust_omp{
      .name = "thrust_omp",
      .scratch = {.sort = 2.5, .copy_if = 2.0, .others = 0.5},  // copy_if: an index per element
      .typed_operations = {offered<int>(), offered<float>(), offered<double>()},
      .libraries = [] { return library_versions{thrust_library(), openmp_library()}; },
      .with_threads = with_openmp_threads};
  return thrust_omp;
}

}  // namespace weft::lab::stl
