// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the scheduler that the workers of a runtime share.
#include "weft/execution/detail/start_on.hpp"

#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_interface.hpp"

namespace weft::execution::detail {

tasks::scheduler& scheduler_of(runtime* home) {
  if (home == nullptr) {
    return tasks::current_scheduler();
  }
  tasks::scheduler& found = tasks::scheduler_of(*home);
  tasks::refuse_in_fork(found);
  return found;
}

bool is_at(runtime* home) noexcept {
  return home == nullptr || tasks::scheduler_here() == &tasks::scheduler_of(*home);
}

}  // namespace weft::execution::detail
