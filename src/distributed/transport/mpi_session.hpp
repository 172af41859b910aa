// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether this process is part of an MPI job, and who ends MPI.
#pragma once

#include <memory>

#include "weft/distributed/runtime.hpp"

#include "distributed/transport/transport.hpp"

namespace weft::distributed::detail {

/// Initialises MPI if a launcher started this process and nobody has yet; ends it then.
class mpi_session {
 public:
  /// Errors: `weft::error` if MPI has ended, or lets one thread call it only.
  explicit mpi_session(const runtime_options& options);
  mpi_session(const mpi_session&) = delete;
  mpi_session& operator=(const mpi_session&) = delete;
  ~mpi_session();

  /// Collective. Errors: `weft::error` if MPI refuses.
  [[nodiscard]] std::unique_ptr<transport> make_transport(const runtime_options& options) const;

 private:
  bool is_used_ = false;
  bool is_begun_here_ = false;
};

}  // namespace weft::distributed::detail
