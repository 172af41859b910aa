// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend stdpar: the standard parallel algorithms as nvc++ -stdpar=multicore implements them.
#include <execution>  // IWYU pragma: keep

#include "lab/stl/backend.hpp"
#include "lab/stl/backends/openmp_threads.hpp"
#include "lab/stl/backends/std_operations.hpp"
#include "lab/stl/backends/versions.hpp"

namespace weft::lab::stl {

const backend& linked_backend() {
  using std::execution::par_unseq;  // NOLINT(misc-include-cleaner): the library declares it in an
                                    // inner header
  static const backend stdpar{
      .name = "stdpar",
      .scratch = {.sort = 1.5, .copy_if = 1.5, .others = 1.0},
      .typed_operations = {std_operations<int, par_unseq>(),
                           std_operations<float, par_unseq>(),
                           std_operations<double, par_unseq>()},
      .libraries = [] { return library_versions{standard_library(), openmp_library()}; },
      .with_threads = with_openmp_threads};
  return stdpar;
}

}  // namespace weft::lab::stl
