// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether this process is part of an MPI job, and whether weft finalises MPI.
#pragma once

#include <memory>

#include "weft/distributed/runtime.hpp"

#include "distributed/transport/transport.hpp"

namespace weft::distributed::detail {

/// Initialises MPI if a launcher started this process and MPI is not initialised; finalises it
/// then.
class mpi_session {
 public:
  /// Errors: `weft::error` if MPI is finalised, or if only one thread may call it.
  explicit mpi_session(const runtime_options& options);
  mpi_session(const mpi_session&) = delete;
  mpi_session& operator=(const mpi_session&) = delete;
  ~mpi_session();

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }
  /// The smallest `number` of all ranks. Collective.
  [[nodiscard]] int smallest(int number) const;
  /// Collective; starts the default runtime. Errors: `weft::error` if a call of MPI fails.
  [[nodiscard]] std::unique_ptr<transport> make_transport(const runtime_options& options);

 private:
  bool is_used_ = false;
  bool is_begun_here_ = false;
  int rank_ = 0;
  int size_ = 1;
  std::shared_ptr<void> requests_;  // of the program; null: MPI is not used
};

}  // namespace weft::distributed::detail
