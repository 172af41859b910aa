// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend libstdcxx_tbb: libstdc++'s parallel algorithms on oneTBB.
#pragma once

#include <execution>
#include <string_view>

#include "lab/bench/algorithm_members.hpp"
#include "lab/bench/backends/seq.hpp"
#include "lab/bench/library_loops.hpp"
#include "lab/stl/backends/tbb_threads.hpp"

namespace weft::bench {
namespace in_libstdcxx_tbb {
namespace library = std;
#define WEFT_BENCH_POLICY std::execution::par_unseq,
#define WEFT_BENCH_LOOP_POLICY std::execution::par,

struct libstdcxx_tbb {
  static constexpr std::string_view name = "libstdcxx_tbb";
  static constexpr bool is_serial = false;

#define WEFT_STL_OPERATION(type, name, ...) WEFT_BENCH_MEMBER(name)
#include "lab/stl/operations.inc"
  WEFT_BENCH_LOOPS

  static lab::stl::library_versions libraries() {
    return {lab::stl::standard_library(), lab::stl::tbb_library()};
  }
  static constexpr auto with_threads = lab::stl::with_tbb_threads;
};

}  // namespace in_libstdcxx_tbb

using in_libstdcxx_tbb::libstdcxx_tbb;

}  // namespace weft::bench
