// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work of a known length, which does not become shorter when other work runs beside it.
#pragma once

#include <cstdint>

namespace weft::lab {

/// Multiplies `steps` times, each time with this thread's last product.
///
/// So a processor can overlap neither two calls, nor a call and much of the surrounding code. A
/// loop of calls therefore takes the sum of their times as tasks. A step takes about four cycles.
void spin(std::uint64_t steps) noexcept;

}  // namespace weft::lab
