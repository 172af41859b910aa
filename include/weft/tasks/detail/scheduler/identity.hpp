// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The identity of the running code: a task, or an OS thread that is not a worker.
#pragma once

#include "weft/tasks/detail/scheduler/worker.hpp"

namespace weft::tasks::detail {

/// Returns an address that no other task or OS thread has while this one runs. Never null.
const void* identity_of_thread() noexcept;

inline const void* current_identity() noexcept {
  const worker* w = self();
  return w != nullptr ? w->current->identity : identity_of_thread();
}

}  // namespace weft::tasks::detail
