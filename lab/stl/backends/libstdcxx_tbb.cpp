// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend libstdcxx_tbb: libstdc++'s parallel algorithms on oneTBB with std::execution::par_unseq.
#define WEFT_STL_POLICY std::execution::par_unseq,
#include "lab/stl/backend.hpp"
#include "lab/stl/backends/libstdcxx_backend.hpp"

namespace weft::lab::stl {

const backend& linked_backend() {
  static const backend libstdcxx_tbb = libstdcxx_backend("libstdcxx_tbb");
  return libstdcxx_tbb;
}

}  // namespace weft::lab::stl
