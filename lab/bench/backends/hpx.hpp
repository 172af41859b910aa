// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend hpx: HPX's parallel algorithms, loops and tasks.
#pragma once

#include <cstddef>
#include <string_view>

#include <hpx/algorithm.hpp>
#include <hpx/execution.hpp>
#include <hpx/future.hpp>
#include <hpx/numeric.hpp>
#include <hpx/runtime.hpp>
#include <hpx/task_block.hpp>

#include "lab/bench/algorithm_members.hpp"
#include "lab/bench/index_iterator.hpp"
#include "lab/stl/backends/hpx_threads.hpp"

namespace weft::bench {
namespace in_hpx {
namespace library = ::hpx;
#define WEFT_BENCH_POLICY ::hpx::execution::par,

struct hpx {
  static constexpr std::string_view name = "hpx";
  static constexpr bool is_serial = false;

#define WEFT_STL_OPERATION(type, name, ...) WEFT_BENCH_MEMBER(name)
#include "lab/stl/operations.inc"

  void for_loop(std::size_t n, const auto& body) const {
    ::hpx::experimental::for_loop(::hpx::execution::par, std::size_t{0}, n, body);
  }

  template <class T>
  T reduce(std::size_t n, T init, const auto& map, const auto& combine) const {
    return ::hpx::transform_reduce(
        ::hpx::execution::par, index_iterator(0), index_iterator(n), init, combine, map);
  }

  void fork_join(const auto& first, const auto& second) const {
    auto other = ::hpx::async([&] { first(); });
    second();
    other.get();
  }

  ::hpx::experimental::task_group task_group() const { return ::hpx::experimental::task_group(); }

  static lab::stl::library_versions libraries() { return {lab::stl::hpx_library()}; }
  /// The kernel runs as HPX's thread, with a stack of ordinary size.
  static void with_threads(int threads, void (*body)(void* context), void* context) {
    lab::stl::with_hpx_threads(threads, "hpx.stacks.small_size=0x100000", [=] {
      ::hpx::run_as_hpx_thread([=] { body(context); });
    });
  }
};

}  // namespace in_hpx

using in_hpx::hpx;

}  // namespace weft::bench
