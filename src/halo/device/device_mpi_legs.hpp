// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages that MPI packs and unpacks itself, since it reads the memory of devices.
#pragma once

#include <memory>

#include "weft/halo/detail/grid.hpp"

#include "halo/device/device.hpp"
#include "halo/device/device_carrier.hpp"
#include "halo/device/device_legs.hpp"
#include "halo/plan/agree.hpp"
#include "halo/plan/plan.hpp"

namespace weft::halo::detail {

/// Shape: `about.options.packing` is `mpi_pack` or `mpi_datatype`.
[[nodiscard]] std::unique_ptr<leg> make_mpi_leg(
    const grid& processes, device& on, const agenda& about, const link& what, bool is_out, int tag);

}  // namespace weft::halo::detail
