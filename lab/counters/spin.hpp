// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work of a known length, which does not become shorter by being done beside other work.
#pragma once

#include <cstdint>

namespace weft::lab {

/// Multiplies `steps` times, each time the last product of this thread.
///
/// So a processor cannot overlap two calls, nor a call and what stands around it by much: a loop of
/// calls takes the sum of what they take as tasks. A step takes about four cycles.
void spin(std::uint64_t steps) noexcept;

}  // namespace weft::lab
