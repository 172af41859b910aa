// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads and version of OpenMP, for the backends that run on it.
#pragma once

#include <string>

#include <omp.h>

#include "lab/stl/backends/versions.hpp"

namespace weft::lab::stl {

/// Runs `body` with parallel regions of exactly `threads` threads.
inline void with_openmp_threads(int threads, void (*body)(void* context), void* context) {
  const int previous = omp_get_max_threads();
  omp_set_dynamic(0);
  omp_set_num_threads(threads);
  body(context);
  omp_set_num_threads(previous);
}

/// The run-time library's name and the date (year, month) of its OpenMP version.
inline library_versions::value_type openmp_library() {
#if defined(KMP_VERSION_MAJOR) || defined(__clang__)
  return {"libomp", std::to_string(_OPENMP)};
#else
  return {"libgomp", std::to_string(_OPENMP)};
#endif
}

}  // namespace weft::lab::stl
