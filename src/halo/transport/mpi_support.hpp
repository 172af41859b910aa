// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether MPI takes addresses in the memory of GPUs.
#pragma once

#include <cstdint>
#include <string>

namespace weft::halo::detail {

/// Whether MPI says that it reads and writes a device's memory.
struct mpi_support {
  enum class answer : std::uint8_t { no, yes, unknown };
  answer says = answer::unknown;
  std::string why;  // what was asked, and what it answered
};

/// Asks it about memory of CUDA.
[[nodiscard]] mpi_support asked_mpi();

}  // namespace weft::halo::detail
