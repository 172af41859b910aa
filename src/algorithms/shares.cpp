// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The workers of weft's own runtimes, for algorithms.
#include "weft/algorithms/detail/shares.hpp"

#include <algorithm>
#include <cstddef>

#include "weft/algorithms/detail/crew.hpp"
#include "weft/algorithms/executor.hpp"
#include "weft/tasks/detail/worker.hpp"
#include "weft/tasks/runtime.hpp"

#include "tasks/runtime_access.hpp"
#include "tasks/scheduler.hpp"

namespace weft::algorithms::detail {

std::size_t num_workers(const default_executor& /*executor*/) {
  return tasks::detail::current_scheduler().num_workers();
}

std::size_t num_workers(const runtime_executor& executor) {
  const std::size_t all = tasks::detail::runtime_access::of(executor.home()).num_workers();
  return executor.max_workers() == 0 ? all : std::min(all, executor.max_workers());
}

void invite(crew& all, const default_executor& /*executor*/) {
  all.invite(tasks::detail::current_scheduler());
}

void invite(crew& all, const runtime_executor& executor) {
  all.invite(tasks::detail::runtime_access::of(executor.home()));
}

}  // namespace weft::algorithms::detail
