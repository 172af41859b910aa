// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Serialises the MPI calls of threads that exchange at the same time, if MPI requires it.
#pragma once

#include <mutex>

#include "weft/halo/detail/grid.hpp"

namespace weft::halo::detail {

/// If MPI was initialised with MPI_THREAD_SERIALIZED, at most one thread of the process has a turn;
/// otherwise it does nothing. No thread waits for another rank or task during its turn. Collective
/// creation and destruction take no turns.
class mpi_turn {
 public:
  explicit mpi_turn(const grid& processes) {
    if (processes.takes_turns()) {
      lock_ = std::unique_lock(only_one());
    }
  }

 private:
  static std::mutex& only_one() noexcept {
    static std::mutex one;
    return one;
  }

  std::unique_lock<std::mutex> lock_;
};

}  // namespace weft::halo::detail
