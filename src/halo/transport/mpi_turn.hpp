// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that exchange at the same time call MPI one after the other where MPI wants that.
#pragma once

#include <mutex>

#include "weft/halo/detail/grid.hpp"

namespace weft::halo::detail {

/// While one lives, no other thread of the process has one, if MPI was initialised with
/// MPI_THREAD_SERIALIZED; otherwise it is nothing. Nobody waits for another rank or task meanwhile.
/// What is made or ended by all ranks together takes no turns.
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
