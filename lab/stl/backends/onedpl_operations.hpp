// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// oneDPL's algorithms with its host policy par_unseq, for the backends that differ in what runs it.
#pragma once

#include <string>

#include <oneapi/dpl/algorithm>
#include <oneapi/dpl/execution>
#include <oneapi/dpl/memory>
#include <oneapi/dpl/numeric>
#include <oneapi/dpl/version>

#include "lab/stl/backends/versions.hpp"

namespace weft::lab::stl {
namespace library = oneapi::dpl;
}
#define WEFT_STL_POLICY oneapi::dpl::execution::par_unseq,
#include "lab/stl/backends/library_operations.hpp"  // IWYU pragma: export

namespace weft::lab::stl {

inline library_versions::value_type onedpl_library() {
  return {"oneDPL",
          std::to_string(ONEDPL_VERSION_MAJOR) + "." + std::to_string(ONEDPL_VERSION_MINOR) + "." +
              std::to_string(ONEDPL_VERSION_PATCH)};
}

}  // namespace weft::lab::stl
