// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libstdc++'s parallel algorithms on oneTBB, for the backends that differ in the policy.
//
// Before it includes this file, a backend defines WEFT_STL_POLICY as for library_operations.hpp.
#pragma once

#include <algorithm>  // IWYU pragma: keep
#include <execution>  // IWYU pragma: keep
#include <memory>     // IWYU pragma: keep
#include <numeric>    // IWYU pragma: keep
#include <string_view>

#include "lab/stl/backend.hpp"
#include "lab/stl/backends/tbb_threads.hpp"
#include "lab/stl/backends/versions.hpp"
#include "lab/stl/operations.hpp"

namespace weft::lab::stl {
namespace library = std;
}
#include "lab/stl/backends/library_operations.hpp"
#include "lab/stl/backends/walked_operations.hpp"

namespace weft::lab::stl {

template <class T>
operations<T> libstdcxx_operations() {
  operations<T> all = library_operations<T>();
  offer_walked(all);
  return all;
}

/// Sort's peak is 2.4 times its input, in addition to the input. Its merges also leak a third of the
/// input per call (github.com/uxlfoundation/oneTBB/issues/1533); about ten calls of a large sort are
/// assumed.
inline constexpr scratch_factors libstdcxx_scratch{.sort = 6.0, .copy_if = 0.5, .others = 1.0};

inline backend libstdcxx_backend(std::string_view name) {
  return {.name = name,
          .scratch = libstdcxx_scratch,
          .typed_operations = {libstdcxx_operations<int>(),
                               libstdcxx_operations<float>(),
                               libstdcxx_operations<double>()},
          .libraries = [] { return library_versions{standard_library(), tbb_library()}; },
          .with_threads = with_tbb_threads};
}

}  // namespace weft::lab::stl
