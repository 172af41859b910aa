// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend stdpar: the standard parallel algorithms as nvc++ -stdpar=multicore implements them.
#pragma once

#include <execution>
#include <string_view>

#include "lab/bench/algorithm_members.hpp"
#include "lab/bench/backends/seq.hpp"
#include "lab/bench/library_loops.hpp"
#include "lab/stl/backends/openmp_threads.hpp"

namespace weft::bench {
namespace in_stdpar {
namespace library = std;
#define WEFT_BENCH_POLICY std::execution::par_unseq,
#define WEFT_BENCH_LOOP_POLICY std::execution::par,

struct stdpar {
  static constexpr std::string_view name = "stdpar";
  static constexpr bool is_serial = false;

#define WEFT_STL_OPERATION(type, name, ...) WEFT_BENCH_MEMBER(name)
#include "lab/stl/operations.inc"
  WEFT_BENCH_LOOPS

  static lab::stl::library_versions libraries() {
    return {lab::stl::standard_library(), lab::stl::openmp_library()};
  }
  static constexpr auto with_threads = lab::stl::with_openmp_threads;
};

}  // namespace in_stdpar

using in_stdpar::stdpar;

}  // namespace weft::bench
