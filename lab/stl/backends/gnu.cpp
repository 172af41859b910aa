// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend gnu: libstdc++'s parallel mode on OpenMP.
//
// The mode is older than C++17: `accumulate` stands for reduce, `partial_sum` for inclusive_scan.
// Algorithms that only call the sequential version are not offered. Ranges below its own limits
// (1000 elements) run on one thread.
#include <functional>

#include <parallel/numeric>

#include "lab/stl/backend.hpp"
#include "lab/stl/backends/gnu_algorithms.hpp"  // IWYU pragma: keep
#include "lab/stl/backends/openmp_threads.hpp"
#include "lab/stl/backends/versions.hpp"
#include "lab/stl/kernels.hpp"
#include "lab/stl/operations.hpp"

namespace weft::lab::stl::library {

// The declarations below hide some of these names. NOLINTNEXTLINE(google-build-using-namespace)
using namespace gnu_algorithms;

template <class T>
T reduce(const T* first, const T* last) {
  return __gnu_parallel::accumulate(first, last, T{});
}

template <class T>
T* inclusive_scan(const T* first, const T* last, T* out) {
  return __gnu_parallel::partial_sum(first, last, out);
}

/// Its overload without the function is ambiguous in C++20.
template <class T>
T* adjacent_difference(const T* first, const T* last, T* out) {
  return __gnu_parallel::adjacent_difference(first, last, out, std::minus<T>{});
}

// The mode stores addresses of these algorithms' elements in pointers to non-const.

template <class T>
T* merge(const T* left, const T* left_last, const T* right, const T* last, T* out) {
  return __gnu_parallel::merge(const_cast<T*>(left),
                               const_cast<T*>(left_last),
                               const_cast<T*>(right),
                               const_cast<T*>(last),
                               out);
}

template <class T>
T* set_difference(const T* left, const T* left_last, const T* right, const T* last, T* out) {
  return __gnu_parallel::set_difference(const_cast<T*>(left),
                                        const_cast<T*>(left_last),
                                        const_cast<T*>(right),
                                        const_cast<T*>(last),
                                        out);
}

template <class T>
T* set_intersection(const T* left, const T* left_last, const T* right, const T* last, T* out) {
  return __gnu_parallel::set_intersection(const_cast<T*>(left),
                                          const_cast<T*>(left_last),
                                          const_cast<T*>(right),
                                          const_cast<T*>(last),
                                          out);
}

template <class T>
T* set_symmetric_difference(
    const T* left, const T* left_last, const T* right, const T* last, T* out) {
  return __gnu_parallel::set_symmetric_difference(const_cast<T*>(left),
                                                  const_cast<T*>(left_last),
                                                  const_cast<T*>(right),
                                                  const_cast<T*>(last),
                                                  out);
}

template <class T>
T* set_union(const T* left, const T* left_last, const T* right, const T* last, T* out) {
  return __gnu_parallel::set_union(const_cast<T*>(left),
                                   const_cast<T*>(left_last),
                                   const_cast<T*>(right),
                                   const_cast<T*>(last),
                                   out);
}

}  // namespace weft::lab::stl::library
#define WEFT_STL_POLICY
#include "lab/stl/backends/library_operations.hpp"

namespace weft::lab::stl {
namespace {

/// The one sort of the mode without a buffer.
template <class T>
operations<T> offered() {
  operations<T> all = library_operations<T>();
  all.sort_in_place = [](T* first, T* last) {
    __gnu_parallel::sort(
        first, last, kernels::precedes{}, __gnu_parallel::balanced_quicksort_tag());
  };
  return all;
}

}  // namespace

const backend& linked_backend() {
  static const backend gnu_backend{
      .name = "gnu",
      .scratch = {.sort = 2.0, .copy_if = 0.5, .others = 0.0},
      .typed_operations = {offered<int>(), offered<float>(), offered<double>()},
      .libraries = [] { return library_versions{standard_library(), openmp_library()}; },
      .with_threads = with_openmp_threads};
  return gnu_backend;
}

}  // namespace weft::lab::stl
