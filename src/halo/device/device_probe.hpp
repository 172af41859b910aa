// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds out whether MPI reads and writes the memory of a device: asks MPI first, then tries.
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

/// Sends patterns of several sizes around, from device memory to device memory. Not tried if `path`
/// does not need it, or if any rank's MPI says that it cannot: such an MPI would crash. An MPI that
/// gives no answer is tried only if the user insists, by `device_path::gpu_aware`.
/// Threads: collective; `path` is the same on all ranks.
/// Errors:  `halo::error` (`device_call`) on all ranks, if the device of any rank fails.
[[nodiscard]] mpi_verdict probe_mpi(const grid& processes,
                                    device& on,
                                    device_path path,
                                    const std::source_location& where);

}  // namespace weft::halo::detail
