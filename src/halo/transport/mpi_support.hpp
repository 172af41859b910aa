// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether MPI accepts addresses in the memory of GPUs.
#pragma once

#include <cstdint>
#include <string>

namespace weft::halo::detail {

/// Whether MPI says that it reads and writes a device's memory.
struct mpi_support {
  enum class answer : std::uint8_t { no, yes, unknown };
  answer says = answer::unknown;
  std::string why;  // the question and MPI's answer
};

/// Asks MPI about CUDA memory.
[[nodiscard]] mpi_support asked_mpi();

}  // namespace weft::halo::detail
