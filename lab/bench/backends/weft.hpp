// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend weft: weft's algorithms, loops and tasks on its default runtime.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "weft/algorithms.hpp"
#include "weft/tasks/fork_join.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/task_group.hpp"

#include "lab/bench/algorithm_members.hpp"
#include "lab/bench/index_iterator.hpp"
#include "lab/harness/experiment.hpp"
#include "lab/stl/backends/versions.hpp"

namespace weft::bench {
namespace in_weft {
namespace library = ::weft;
#define WEFT_BENCH_POLICY ::weft::par_unseq,

/// The time of the default runtime's workers by use; sums over all workers.
inline constexpr double seconds_per_ns = 1e-9;
inline constexpr std::array counted{
    lab::sample_counter{"tasks", "tasks", "/threads{locality#0/total}/count/cumulative"},
    lab::sample_counter{
        "task_time", "s", "/threads{locality#0/total}/time/executing", seconds_per_ns},
    lab::sample_counter{"scheduling_time",
                        "s",
                        "/threads{locality#0/total}/time/cumulative-overhead",
                        seconds_per_ns},
    lab::sample_counter{
        "searching_time", "s", "/threads{locality#0/total}/time/searching", seconds_per_ns},
    lab::sample_counter{
        "parked_time", "s", "/threads{locality#0/total}/time/parked", seconds_per_ns},
    lab::sample_counter{"steals", "steals", "/threads{locality#0/total}/count/steals-won"},
};

struct weft {
  static constexpr std::string_view name = "weft";
  static constexpr bool is_serial = false;

#define WEFT_STL_OPERATION(type, name, ...) WEFT_BENCH_MEMBER(name)
#include "lab/stl/operations.inc"

  void for_loop(std::size_t n, const auto& body) const {
    ::weft::for_loop(::weft::par, std::size_t{0}, n, body);
  }

  template <class T>
  T reduce(std::size_t n, T init, const auto& map, const auto& combine) const {
    return ::weft::transform_reduce(
        ::weft::par, index_iterator(0), index_iterator(n), init, combine, map);
  }

  void fork_join(const auto& first, const auto& second) const { ::weft::fork_join(first, second); }

  ::weft::task_group task_group() const { return ::weft::task_group(); }

  static lab::stl::library_versions libraries() { return {lab::stl::standard_library()}; }
  static std::span<const lab::sample_counter> sample_counters() { return counted; }
  static void with_threads(int threads, void (*body)(void* context), void* context) {
    default_runtime().resize(threads);
    body(context);
  }
};

}  // namespace in_weft

using in_weft::weft;

}  // namespace weft::bench
