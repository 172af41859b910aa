// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend libstdcxx_tbb: libstdc++'s parallel algorithms on oneTBB with std::execution::par_unseq.
#include <algorithm>  // IWYU pragma: keep
#include <execution>  // IWYU pragma: keep
#include <memory>     // IWYU pragma: keep
#include <numeric>    // IWYU pragma: keep

#include "lab/stl/backend.hpp"
#include "lab/stl/backends/libstdcxx_scratch.hpp"
#include "lab/stl/backends/tbb_threads.hpp"
#include "lab/stl/backends/versions.hpp"

namespace weft::lab::stl {
namespace library = std;
}
#define WEFT_STL_POLICY std::execution::par_unseq,
#include "lab/stl/backends/library_operations.hpp"

namespace weft::lab::stl {

const backend& linked_backend() {
  static const backend libstdcxx_tbb{
      .name = "libstdcxx_tbb",
      .scratch = libstdcxx_scratch,
      .typed_operations = {library_operations<int>(),
                           library_operations<float>(),
                           library_operations<double>()},
      .libraries = [] { return library_versions{standard_library(), tbb_library()}; },
      .with_threads = with_tbb_threads};
  return libstdcxx_tbb;
}

}  // namespace weft::lab::stl
