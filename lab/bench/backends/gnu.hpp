// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend gnu: libstdc++'s parallel mode on OpenMP.
//
// The mode is older than C++17: `accumulate` stands for reduce, `partial_sum` for inclusive_scan.
// Algorithms that only call the sequential version are not offered. Ranges below its own limits
// (1000 elements) run on one thread.
#pragma once

#include <cstddef>
#include <string_view>

#include <parallel/numeric>

#include "lab/bench/algorithm_members.hpp"
#include "lab/bench/backends/seq.hpp"
#include "lab/bench/library_loops.hpp"
#include "lab/stl/backends/gnu_algorithms.hpp"
#include "lab/stl/backends/openmp_threads.hpp"

namespace weft::bench {
namespace in_gnu {
namespace library {

// The declarations below hide some of these names. NOLINTNEXTLINE(google-build-using-namespace)
using namespace lab::stl::gnu_algorithms;

template <class It>
auto reduce(It first, It last) {
  return __gnu_parallel::accumulate(first, last, std::iter_value_t<It>());
}
template <class It, class T, class... Combine>
T reduce(It first, It last, T init, Combine... combine) {
  return __gnu_parallel::accumulate(first, last, init, combine...);
}

template <class It, class Out, class... Combine>
Out inclusive_scan(It first, It last, Out out, Combine... combine) {
  return __gnu_parallel::partial_sum(first, last, out, combine...);
}

template <std::input_iterator Other, class It, class T, class... Functions>
T transform_reduce(It first, It last, Other other, T init, Functions... functions) {
  return __gnu_parallel::inner_product(first, last, other, init, functions...);
}
template <class T, class Combine, class Map, std::random_access_iterator It>
  requires std::invocable<const Map&, std::iter_reference_t<It>>
T transform_reduce(It first, It last, T init, Combine combine, Map map) {
  const auto at = [&](std::size_t i) { return map(first[static_cast<std::ptrdiff_t>(i)]); };
  const auto n = static_cast<std::size_t>(last - first);
  return __gnu_parallel::accumulate(index_iterator(0, &at), index_iterator(n, &at), init, combine);
}

}  // namespace library
#define WEFT_BENCH_POLICY
#define WEFT_BENCH_LOOP_POLICY

struct gnu {
  static constexpr std::string_view name = "gnu";
  static constexpr bool is_serial = false;

#define WEFT_STL_OPERATION(type, name, ...) WEFT_BENCH_MEMBER(name)
#include "lab/stl/operations.inc"
  WEFT_BENCH_LOOPS

  static lab::stl::library_versions libraries() {
    return {lab::stl::standard_library(), lab::stl::openmp_library()};
  }
  static constexpr auto with_threads = lab::stl::with_openmp_threads;
};

}  // namespace in_gnu

using in_gnu::gnu;

}  // namespace weft::bench
