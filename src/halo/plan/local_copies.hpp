// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies from one side of a field to the other, in dimensions with one process.
#pragma once

#include <span>
#include <vector>

#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"

#include "halo/plan/plan.hpp"

namespace weft::halo::detail {

/// The directions of one stage, whose cells are copied together.
struct stage {
  std::vector<direction> served;
  extension extended{};
};

/// Returns the copies of one field, in the order of the stages, without those that copy nothing.
[[nodiscard]] std::vector<local_copies> local_copies_of(const grid& processes,
                                                        const shape& field,
                                                        std::span<const stage> stages,
                                                        flow way);

}  // namespace weft::halo::detail
