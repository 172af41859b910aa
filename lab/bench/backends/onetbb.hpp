// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend onetbb: oneTBB's loops, sort and tasks, and algorithms written with the loops.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_sort.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include "lab/bench/algorithm_members.hpp"
#include "lab/bench/loop_algorithms.hpp"
#include "lab/stl/backends/tbb_threads.hpp"

namespace weft::bench {
namespace in_onetbb {

struct loops {
  static void for_loop(std::size_t n, const auto& body) {
    tbb::parallel_for(std::size_t{0}, n, body);
  }

  template <class T>
  static T reduce(std::size_t n, T init, const auto& map, const auto& combine) {
    using range = tbb::blocked_range<std::size_t>;
    using sum = std::optional<T>;  // starts from an element: `combine` may have no neutral value
    const sum all = tbb::parallel_reduce(
        range(0, n),
        sum(),
        [&](const range& part, sum before) {
          const T value = reduce_part<T>(part.begin(), part.end(), map, combine);
          return sum(before ? combine(*before, value) : value);
        },
        [&](const sum& left, const sum& right) {
          return left && right ? sum(combine(*left, *right)) : left ? left : right;
        });
    return all ? combine(init, *all) : init;
  }

  static std::size_t num_threads() {
    return static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  }
};

struct library : loop_algorithms<loops> {
  static void sort(auto first, auto last, const auto&... compare) {
    tbb::parallel_sort(first, last, compare...);
  }
};
#define WEFT_BENCH_POLICY

struct onetbb {
  static constexpr std::string_view name = "onetbb";
  static constexpr bool is_serial = false;

#define WEFT_STL_OPERATION(type, name, ...) WEFT_BENCH_MEMBER(name)
#include "lab/stl/operations.inc"

  void for_loop(std::size_t n, const auto& body) const { loops::for_loop(n, body); }

  template <class T>
  T reduce(std::size_t n, T init, const auto& map, const auto& combine) const {
    return loops::reduce(n, init, map, combine);
  }

  void fork_join(const auto& first, const auto& second) const {
    tbb::parallel_invoke(first, second);
  }

  tbb::task_group task_group() const { return tbb::task_group(); }

  static lab::stl::library_versions libraries() {
    return {lab::stl::standard_library(), lab::stl::tbb_library()};
  }
  static constexpr auto with_threads = lab::stl::with_tbb_threads;
};

}  // namespace in_onetbb

using in_onetbb::onetbb;

}  // namespace weft::bench
