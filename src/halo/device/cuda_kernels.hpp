// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The code that is compiled for GPUs.
#pragma once

#include <cuda_runtime_api.h>

#include "halo/device/device.hpp"
#include "halo/device/device_moves.hpp"

namespace weft::halo::detail {

/// Adds the copies of all tiles to `stream`. Returns CUDA's result.
[[nodiscard]] cudaError_t launch_moves(const device_moves& what,
                                       const move_pointers& where,
                                       cudaStream_t stream);

}  // namespace weft::halo::detail
