// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The executor of workers of its own, on chosen CPUs.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "weft/execution/parallel_executor.hpp"
#include "weft/tasks/runtime.hpp"

namespace hpx {

namespace compat {

struct own_runtime {
  explicit own_runtime(const std::vector<int>& cpus);
  std::shared_ptr<weft::runtime> workers;
};

}  // namespace compat

namespace execution::experimental {

/// Runs calls as tasks of its own runtime, whose workers stay on the given CPUs, one each.
///
/// Copies share the workers; the last one to go, which is not for their own tasks, ends them.
/// Cost:    making one starts threads (about a millisecond); a copy adds one to a count.
/// Threads: any.
/// Errors:  `weft::error` for a CPU that the process may not use, and for none at all.
/// Example: tests/compat/hpx_executors_test.cpp: restricted_stays_on_its_cpus.
class restricted_thread_pool_executor : private compat::own_runtime,
                                        public weft::execution::parallel_executor {
 public:
  /// On the hardware threads of these numbers.
  explicit restricted_thread_pool_executor(const std::vector<int>& cpus)
      : own_runtime(cpus), weft::execution::parallel_executor(*workers) {}
  /// On `count` of the CPUs that the process may use, from the one of index `first` on.
  restricted_thread_pool_executor(std::size_t first, std::size_t count)
      : restricted_thread_pool_executor(usable(first, count)) {}

  friend bool operator==(const restricted_thread_pool_executor& a,
                         const restricted_thread_pool_executor& b) noexcept {
    return a.workers == b.workers;
  }

 private:
  [[nodiscard]] static std::vector<int> usable(std::size_t first, std::size_t count);
};

}  // namespace execution::experimental
}  // namespace hpx
