// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Access from a runtime to its scheduler.
#pragma once

#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/runtime.hpp"

namespace weft::tasks::detail {

struct runtime_access {
  static scheduler& of(runtime& r) noexcept { return *r.scheduler_; }
  static runtime_parts& parts_of(runtime& r) noexcept { return *r.parts_; }
};

}  // namespace weft::tasks::detail
