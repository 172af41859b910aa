// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend seq: the standard library's sequential algorithms, the baseline of every speed-up.
#include <algorithm>  // IWYU pragma: keep
#include <memory>     // IWYU pragma: keep
#include <numeric>    // IWYU pragma: keep

#include "lab/stl/backend.hpp"
#include "lab/stl/backends/versions.hpp"

namespace weft::lab::stl {
namespace library = std;
}
#define WEFT_STL_POLICY
#include "lab/stl/backends/library_operations.hpp"

namespace weft::lab::stl {

const backend& linked_backend() {
  static const backend seq{
      .name = "seq",
      .is_serial = true,
      .scratch = {.sort = 0.5, .copy_if = 0.5, .others = 0.0},  // stable_sort, stable_partition
      .typed_operations = {library_operations<int>(),
                           library_operations<float>(),
                           library_operations<double>()},
      .libraries = [] { return library_versions{standard_library()}; },
      .with_threads = [](int /*threads*/, void (*body)(void*), void* context) { body(context); }};
  return seq;
}

}  // namespace weft::lab::stl
