// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How fields in the memory of GPUs are exchanged: choices made at run time, all with the same
// result.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "weft/halo/options.hpp"

namespace weft::halo {

/// How messages get from the memory of one GPU to that of another.
enum class device_path : std::uint8_t {
  automatic,  // by MPI alone if it reads the memory of GPUs, which is tried; else staged
  gpu_aware,  // by MPI alone, or an error that says why not
  staged,     // through pinned memory of the hosts, in chunks
};

[[nodiscard]] std::string_view to_string(device_path what) noexcept;

/// `chunk_bytes` for staged messages that are copied as a whole before they are sent.
inline constexpr std::ptrdiff_t whole_messages = 0;

/// All ranks must be given the same.
struct cuda_options {
  /// `automatic` and `loops`: kernels. `direct`: what is contiguous goes without them. `mpi_pack`
  /// and `mpi_datatype` leave it to an MPI that reads the memory of GPUs.
  halo::packing packing = halo::packing::automatic;
  halo::schedule schedule = halo::schedule::automatic;  // bulk: all directions in two launches
  halo::directions directions = halo::directions::all;
  device_path path = device_path::automatic;
  /// Of a staged message, while another chunk of which is under way between hosts.
  std::ptrdiff_t chunk_bytes = std::ptrdiff_t{1} << 20;
  std::optional<std::size_t> max_fields = {};  // at least 1; none: as many as are passed
  /// At most `descriptors`. If the environment asks for a higher level, `descriptors` is used.
  validation validate = validation::automatic;
  /// Each rank's own; none: no message.
  std::optional<std::chrono::milliseconds> patience = default_patience;

  bool operator==(const cuda_options&) const = default;
};

}  // namespace weft::halo
