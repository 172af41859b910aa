// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// oneDPL's algorithms with its host policies, for backends that differ only in the threads below.
#pragma once

#include <string>

#include <oneapi/dpl/algorithm>
#include <oneapi/dpl/execution>
#include <oneapi/dpl/memory>
#include <oneapi/dpl/numeric>
#include <oneapi/dpl/version>

#include "lab/bench/algorithm_members.hpp"
#include "lab/bench/backends/seq.hpp"
#include "lab/bench/library_loops.hpp"
#include "lab/stl/backends/versions.hpp"

namespace weft::bench {
namespace in_onedpl {
namespace library = oneapi::dpl;
#define WEFT_BENCH_POLICY oneapi::dpl::execution::par_unseq,
#define WEFT_BENCH_LOOP_POLICY oneapi::dpl::execution::par,

/// `Backend` has the name.
template <class Backend>
struct onedpl_members {
  static constexpr std::string_view name = Backend::backend_name;
  static constexpr bool is_serial = false;

#define WEFT_STL_OPERATION(type, name, ...) WEFT_BENCH_MEMBER(name)
#include "lab/stl/operations.inc"
  WEFT_BENCH_LOOPS
};

inline lab::stl::library_versions::value_type onedpl_library() {
  return {"oneDPL",
          std::to_string(ONEDPL_VERSION_MAJOR) + "." + std::to_string(ONEDPL_VERSION_MINOR) + "." +
              std::to_string(ONEDPL_VERSION_PATCH)};
}

}  // namespace in_onedpl
}  // namespace weft::bench
