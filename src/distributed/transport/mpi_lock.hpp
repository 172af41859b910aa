// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lock that the threads of this process hold around calls of MPI.
#pragma once

#include <mutex>

namespace weft::distributed::detail {

/// One for the process, as MPI is.
[[nodiscard]] inline std::mutex& mpi_lock() noexcept {
  static std::mutex instance;
  return instance;
}

}  // namespace weft::distributed::detail
