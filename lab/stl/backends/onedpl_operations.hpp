// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// oneDPL's algorithms with its host policy par_unseq, for backends that differ only in the threads
// below.
#pragma once

#include <cstddef>
#include <string>

#include <oneapi/dpl/algorithm>
#include <oneapi/dpl/execution>
#include <oneapi/dpl/memory>
#include <oneapi/dpl/numeric>
#include <oneapi/dpl/version>

#include "lab/stl/backends/versions.hpp"
#include "lab/stl/kernels.hpp"
#include "lab/stl/operations.hpp"

namespace weft::lab::stl {
namespace library = oneapi::dpl;
}
#define WEFT_STL_POLICY oneapi::dpl::execution::par_unseq,
#include "lab/stl/backends/library_operations.hpp"  // IWYU pragma: export
#include "lab/stl/backends/walked_operations.hpp"

namespace weft::lab::stl {

/// The algorithms with the standard's names, and oneDPL's own extensions.
template <class T>
operations<T> onedpl_operations() {
  operations<T> all = library_operations<T>();
  offer_walked(all);
  all.histogram = [](const T* first, const T* last, std::size_t* counts) {
    library::histogram(WEFT_STL_POLICY first,
                       last,
                       kernels::num_bins,
                       T{0},
                       static_cast<T>(kernels::num_bins),
                       counts);
  };
  all.reduce_by_key = [](const T* first, const T* last, const T* values, T* keys_out, T* sums_out) {
    return ends_of<T>(
        library::reduce_by_segment(WEFT_STL_POLICY first, last, values, keys_out, sums_out));
  };
  all.sort_by_key = [](T* first, T* last, T* values) {
    library::sort_by_key(WEFT_STL_POLICY first, last, values);
  };
  return all;
}

inline library_versions::value_type onedpl_library() {
  return {"oneDPL",
          std::to_string(ONEDPL_VERSION_MAJOR) + "." + std::to_string(ONEDPL_VERSION_MINOR) + "." +
              std::to_string(ONEDPL_VERSION_PATCH)};
}

}  // namespace weft::lab::stl
