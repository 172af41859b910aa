// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a runtime to what its workers share.
#include "weft/execution/detail/start_on.hpp"

#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/runtime.hpp"

#include "tasks/runtime/runtime_access.hpp"
#include "tasks/scheduler/scheduler.hpp"

namespace weft::execution::detail {

tasks::detail::scheduler& scheduler_of(runtime* home) {
  if (home == nullptr) {
    return tasks::detail::current_scheduler();
  }
  tasks::detail::scheduler& found = tasks::detail::runtime_access::of(*home);
  found.refuse_in_fork();
  return found;
}

bool is_at(runtime* home) noexcept {
  const tasks::detail::worker* const w = tasks::detail::self();
  return home == nullptr || (w != nullptr && w->home == &tasks::detail::runtime_access::of(*home));
}

}  // namespace weft::execution::detail
