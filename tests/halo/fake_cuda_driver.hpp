// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that the driver of tests says is not the host's, though it is.
#pragma once

#include <array>

using weft_fake_cells = std::array<double, 64>;

extern weft_fake_cells device_cells;
extern weft_fake_cells managed_cells;
