// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend libstdcxx_tbb: libstdc++'s parallel algorithms on oneTBB with std::execution::par_unseq.
#include <execution>  // IWYU pragma: keep

#include "lab/stl/backend.hpp"
#include "lab/stl/backends/libstdcxx_scratch.hpp"
#include "lab/stl/backends/std_operations.hpp"
#include "lab/stl/backends/tbb_threads.hpp"
#include "lab/stl/backends/versions.hpp"

namespace weft::lab::stl {

const backend& linked_backend() {
  using std::execution::par_unseq;  // NOLINT(misc-include-cleaner): the library declares it in an
                                    // inner header
  static const backend libstdcxx_tbb{
      .name = "libstdcxx_tbb",
      .scratch = libstdcxx_scratch,
      .typed_operations = {std_operations<int, par_unseq>(),
                           std_operations<float, par_unseq>(),
                           std_operations<double, par_unseq>()},
      .libraries = [] { return library_versions{standard_library(), tbb_library()}; },
      .with_threads = with_tbb_threads};
  return libstdcxx_tbb;
}

}  // namespace weft::lab::stl
