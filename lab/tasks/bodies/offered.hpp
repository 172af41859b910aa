// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The problems that a runtime offers, derived from its operations.
#pragma once

#include "lab/tasks/bodies/fork_bodies.hpp"
#include "lab/tasks/bodies/micro_bodies.hpp"
#include "lab/tasks/bodies/runtime_concepts.hpp"
#include "lab/tasks/operations.hpp"

namespace weft::lab::tasks::bodies {

/// Instantiates every body that `Runtime` can run.
template <forks Runtime>
operations offered_by() {
  operations rows;
  offer_forks<Runtime>(rows);
  offer_micros<Runtime>(rows);
  return rows;
}

}  // namespace weft::lab::tasks::bodies
