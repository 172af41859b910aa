// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The device interface of exchanges, implemented by CUDA.
#pragma once

#include <memory>

#include "weft/halo/detail/grid.hpp"

#include "halo/device/device.hpp"

namespace weft::halo::detail {

/// Returns the device that is current now. Errors: `halo::error` (`device_call`) on all ranks if
/// any rank has none.
/// Threads: collective.
[[nodiscard]] std::shared_ptr<device> current_cuda_device(const grid& processes);

}  // namespace weft::halo::detail
