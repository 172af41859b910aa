// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether MPI reads and writes the memory of a device: asked first, then tried.
#pragma once

#include <source_location>
#include <string>

#include "weft/halo/cuda_options.hpp"
#include "weft/halo/detail/grid.hpp"

#include "halo/device/device.hpp"

namespace weft::halo::detail {

struct mpi_verdict {
  bool is_aware = false;  // the same on all ranks
  std::string why;        // of this rank
};

/// Sends patterns of several sizes around, from device memory to device memory, unless `path` does
/// without or any rank's MPI says no: an MPI that does not know of devices would crash. One that
/// does not say is tried only if the user insists, by `device_path::gpu_aware`.
/// Threads: collective; `path` is the same on all ranks.
/// Errors:  `halo::error` (`device_call`) on all ranks, if the device of any fails.
[[nodiscard]] mpi_verdict probe_mpi(const grid& processes,
                                    device& on,
                                    device_path path,
                                    const std::source_location& where);

}  // namespace weft::halo::detail
