// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How tests built with WEFT_TEST_DELAYS steer the delays and leave steps out.
#pragma once

#include <optional>

#include "weft/tasks/detail/scheduler/disturb.hpp"

namespace weft::tests {

/// What `disturb()` does, once in so many calls on average; 0: never.
struct disturbance {
  unsigned pause_every = 64;  // up to a microsecond
  unsigned yield_every = 2048;
  unsigned hold_every = 4;  // a store to a late word, until a few calls later
};

/// Set before the threads start.
void set_disturbance(const disturbance& wanted) noexcept;
void force_migration(bool wanted) noexcept;
void leave_out(std::optional<tasks::detail::safety_step> step) noexcept;

}  // namespace weft::tests
