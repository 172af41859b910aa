// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA as exchanges see it.
#pragma once

#include <memory>

#include "weft/halo/detail/grid.hpp"

#include "halo/device/device.hpp"

namespace weft::halo::detail {

/// The device that is current now. Errors: `halo::error` (`device_call`) on all ranks if any rank
/// has none.
/// Threads: collective.
[[nodiscard]] std::shared_ptr<device> current_cuda_device(const grid& processes);

}  // namespace weft::halo::detail
