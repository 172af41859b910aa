// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several calls of an operation within one entry into the runtime.
#pragma once

#include <cstdint>

#include "lab/tasks/bodies/runtime_concepts.hpp"
#include "lab/tasks/operations.hpp"

namespace weft::lab::tasks::bodies {

/// Enters the runtime, calls `body` `what.calls` times, and returns the sum of its results.
template <class Runtime, class Body>
std::uint64_t enter_once(const request& what, const Body& body) {
  std::uint64_t sum = 0;
  Runtime::enter([&] {
    for (std::uint64_t call = 0; call < what.calls; ++call) {
      sum += body();
    }
  });
  return sum;
}

}  // namespace weft::lab::tasks::bodies
