// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend gnu: libstdc++'s parallel mode on OpenMP.
//
// The mode predates C++17: reduce is its accumulate, inclusive_scan its partial_sum; its copy and
// copy_if are sequential and so not offered. Below its own cutoffs (1000 elements) it runs on one
// thread.
#include <cstddef>

#include <parallel/algorithm>  // IWYU pragma: keep
#include <parallel/numeric>

#include "lab/stl/backend.hpp"
#include "lab/stl/backends/openmp_threads.hpp"
#include "lab/stl/backends/versions.hpp"
#include "lab/stl/kernels.hpp"
#include "lab/stl/operations.hpp"

namespace weft::lab::stl {
namespace {

namespace gnu = __gnu_parallel;

/// The mode's merge keeps its iterators' element addresses in pointers to non-const.
template <class T>
T* merge(const T* left, const T* left_last, const T* right, const T* right_last, T* out) {
  return gnu::merge(const_cast<T*>(left),
                    const_cast<T*>(left_last),
                    const_cast<T*>(right),
                    const_cast<T*>(right_last),
                    out);
}

template <class T>
operations<T> offered() {
  using in = const T*;
  return {.touch = [](T* first, T* last) { gnu::for_each(first, last, kernels::first_write{}); },
          .find = [](in first, in last, T value) { return gnu::find(first, last, value); },
          .for_each =
              [](T* first, T* last, std::size_t k_it) {
                const kernels::store_count kernel{k_it};
                gnu::for_each(first, last, kernel);
              },
          .inclusive_scan =
              [](in first, in last, T* out) { return gnu::partial_sum(first, last, out); },
          .reduce = [](in first, in last) { return gnu::accumulate(first, last, T{}); },
          .sort = [](T* first, T* last) { gnu::sort(first, last); },
          .transform = [](in first,
                          in last,
                          T* out) { return gnu::transform(first, last, out, kernels::scale{}); },
          .merge = merge<T>};
}

}  // namespace

const backend& linked_backend() {
  static const backend gnu_backend{
      .name = "gnu",
      .scratch = {.sort = 2.0, .copy_if = 0.0, .others = 0.0},
      .typed_operations = {offered<int>(), offered<float>(), offered<double>()},
      .libraries = [] { return library_versions{standard_library(), openmp_library()}; },
      .with_threads = with_openmp_threads};
  return gnu_backend;
}

}  // namespace weft::lab::stl
