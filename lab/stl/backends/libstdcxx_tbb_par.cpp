// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend libstdcxx_tbb_par: libstdc++'s parallel algorithms on oneTBB with std::execution::par.
#include <execution>  // IWYU pragma: keep

#include "lab/stl/backend.hpp"
#include "lab/stl/backends/libstdcxx_scratch.hpp"
#include "lab/stl/backends/std_operations.hpp"
#include "lab/stl/backends/tbb_threads.hpp"
#include "lab/stl/backends/versions.hpp"

namespace weft::lab::stl {

const backend& linked_backend() {
  using std::execution::par;  // NOLINT(misc-include-cleaner): the library declares it in an inner
                              // header
  static const backend libstdcxx_tbb_par{
      .name = "libstdcxx_tbb_par",
      .scratch = libstdcxx_scratch,
      .typed_operations = {std_operations<int, par>(),
                           std_operations<float, par>(),
                           std_operations<double, par>()},
      .libraries = [] { return library_versions{standard_library(), tbb_library()}; },
      .with_threads = with_tbb_threads};
  return libstdcxx_tbb_par;
}

}  // namespace weft::lab::stl
