// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend onedpl_tbb: oneDPL's host algorithms on oneTBB.
#include "lab/stl/backend.hpp"
#include "lab/stl/backends/onedpl_operations.hpp"
#include "lab/stl/backends/tbb_threads.hpp"
#include "lab/stl/backends/versions.hpp"

namespace weft::lab::stl {

const backend& linked_backend() {
  static const backend onedpl_tbb{
      .name = "onedpl_tbb",
      .scratch = {.sort = 1.5, .copy_if = 0.5, .others = 0.5},
      .typed_operations = {onedpl_operations<int>(),
                           onedpl_operations<float>(),
                           onedpl_operations<double>()},
      .libraries = [] { return library_versions{onedpl_library(), tbb_library()}; },
      .with_threads = with_tbb_threads};
  return onedpl_tbb;
}

}  // namespace weft::lab::stl
