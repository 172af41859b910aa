// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend libstdcxx_tbb_par: libstdc++'s parallel algorithms on oneTBB with std::execution::par.
#define WEFT_STL_POLICY std::execution::par,
#include "lab/stl/backend.hpp"
#include "lab/stl/backends/libstdcxx_backend.hpp"

namespace weft::lab::stl {

const backend& linked_backend() {
  static const backend libstdcxx_tbb_par = libstdcxx_backend("libstdcxx_tbb_par");
  return libstdcxx_tbb_par;
}

}  // namespace weft::lab::stl
