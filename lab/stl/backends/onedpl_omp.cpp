// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend onedpl_omp: oneDPL's host algorithms on OpenMP.
#include "lab/stl/backend.hpp"
#include "lab/stl/backends/onedpl_operations.hpp"
#include "lab/stl/backends/openmp_threads.hpp"
#include "lab/stl/backends/versions.hpp"

namespace weft::lab::stl {

const backend& linked_backend() {
  static const backend onedpl_omp{
      .name = "onedpl_omp",
      .scratch = {.sort = 2.5, .copy_if = 0.5, .others = 0.5},
      .typed_operations = {onedpl_operations<int>(),
                           onedpl_operations<float>(),
                           onedpl_operations<double>()},
      .libraries = [] { return library_versions{onedpl_library(), openmp_library()}; },
      .with_threads = with_openmp_threads};
  return onedpl_omp;
}

}  // namespace weft::lab::stl
