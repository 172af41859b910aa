// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The workers of weft's own runtimes, for algorithms.
#include "weft/algorithms/detail/shares.hpp"

#include <algorithm>
#include <cstddef>

#include "weft/algorithms/detail/crew.hpp"
#include "weft/algorithms/detail/launch.hpp"
#include "weft/algorithms/executor.hpp"
#include "weft/tasks/detail/self.hpp"
#include "weft/tasks/detail/worker.hpp"
#include "weft/tasks/runtime.hpp"

#include "tasks/runtime_access.hpp"
#include "tasks/scheduler.hpp"

namespace weft::algorithms::detail {

namespace {

[[nodiscard]] bool is_another_awake(tasks::detail::scheduler& home) noexcept {
  const tasks::detail::worker* const w = tasks::detail::self();
  const unsigned num_callers = w != nullptr && w->home == &home ? 1 : 0;
  return home.num_idle() + num_callers < home.num_workers();
}

}  // namespace

bool is_anyone_awake(const default_executor& /*executor*/) {
  return is_another_awake(tasks::detail::current_scheduler());
}

bool is_anyone_awake(const runtime_executor& executor) {
  return is_another_awake(tasks::detail::runtime_access::of(executor.home()));
}

std::size_t num_workers(const default_executor& /*executor*/) {
  return tasks::detail::current_scheduler().num_workers();
}

std::size_t num_workers(const runtime_executor& executor) {
  const std::size_t all = tasks::detail::runtime_access::of(executor.home()).num_workers();
  return executor.max_workers() == 0 ? all : std::min(all, executor.max_workers());
}

tasks::detail::scheduler& home_of(const runtime_executor& executor) {
  tasks::detail::scheduler& home = tasks::detail::runtime_access::of(executor.home());
  home.refuse_in_fork();
  return home;
}

void invite(crew& all, const default_executor& /*executor*/) {
  all.invite(tasks::detail::current_scheduler());
}

void invite(crew& all, const runtime_executor& executor) {
  all.invite(tasks::detail::runtime_access::of(executor.home()));
}

}  // namespace weft::algorithms::detail
