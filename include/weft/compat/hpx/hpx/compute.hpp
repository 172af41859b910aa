// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory and executors of the host's NUMA nodes.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <hpx/execution.hpp>

#include "weft/algorithms/first_touch_allocator.hpp"

namespace hpx::compute {

template <class T, class Allocator = std::allocator<T>>
using vector = std::vector<T, Allocator>;

namespace host {

/// Cores; weft distributes memory and work over all of them itself.
struct target {};
[[nodiscard]] inline std::vector<target> numa_domains() { return std::vector<target>(1); }

/// Memory in blocks on the NUMA nodes of the workers.
template <class T>
class block_allocator : public weft::first_touch_allocator<T> {
 public:
  template <class U>
  struct rebind {
    using other = block_allocator<U>;
  };
  block_allocator() = default;
  explicit block_allocator(const std::vector<target>& /*where*/) noexcept {}
  template <class U>
  block_allocator(const block_allocator<U>& /*other*/) noexcept {}  // allocators convert
};

template <class Executor = execution::parallel_executor>
class block_executor : public Executor {
 public:
  explicit block_executor(const std::vector<target>& /*where*/) {}
};

}  // namespace host
}  // namespace hpx::compute
