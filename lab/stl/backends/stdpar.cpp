// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend stdpar: the standard parallel algorithms as nvc++ -stdpar=multicore implements them.
#include <algorithm>  // IWYU pragma: keep
#include <execution>
#include <memory>   // IWYU pragma: keep
#include <numeric>  // IWYU pragma: keep

#include "lab/stl/backend.hpp"
#include "lab/stl/backends/openmp_threads.hpp"
#include "lab/stl/backends/versions.hpp"

namespace weft::lab::stl {
namespace library = std;
}
#define WEFT_STL_POLICY std::execution::par_unseq,
#include "lab/stl/backends/library_operations.hpp"

namespace weft::lab::stl {

const backend& linked_backend() {
  static const backend stdpar{
      .name = "stdpar",
      .scratch = {.sort = 1.5, .copy_if = 1.5, .others = 1.0},
      .typed_operations = {library_operations<int>(),
                           library_operations<float>(),
                           library_operations<double>()},
      .libraries = [] { return library_versions{standard_library(), openmp_library()}; },
      .with_threads = with_openmp_threads};
  return stdpar;
}

}  // namespace weft::lab::stl
