// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Uses MPI if it is initialised; otherwise initialises MPI if a launcher started this process.
#include "distributed/transport/mpi_session.hpp"

#include <memory>
#include <string>

#include <mpi.h>

#include "weft/base/error.hpp"
#include "weft/distributed/runtime.hpp"

#include "distributed/transport/launcher.hpp"
#include "distributed/transport/memory_transport.hpp"
#include "distributed/transport/mpi_requests.hpp"
#include "distributed/transport/mpi_transport.hpp"
#include "distributed/transport/transport.hpp"

namespace weft::distributed::detail {
namespace {

/// Errors: `weft::error` if MPI gives threads less than the options need.
void require_level(int provided, const runtime_options& options) {
  const bool needs_multiple = options.threads == mpi_threads::multiple;
  if (provided >= (needs_multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_SERIALIZED)) {
    return;
  }
  const std::string needed = needs_multiple ? "MPI_THREAD_MULTIPLE" : "MPI_THREAD_SERIALIZED";
  throw error(errc::invalid_status,
              "MPI was initialised without " + needed +
                  ", but workers call it: call MPI_Init_thread with " + needed +
                  ", or leave it to weft::distributed::runtime");
}

}  // namespace

mpi_session::mpi_session(const runtime_options& options) {
  int has_begun = 0;
  int has_ended = 0;
  MPI_Initialized(&has_begun);
  MPI_Finalized(&has_ended);
  if (has_ended != 0) {
    throw error(errc::invalid_status,
                "MPI has been finalized: make the weft::distributed::runtime before MPI_Finalize");
  }
  int level = MPI_THREAD_SINGLE;
  if (has_begun != 0) {
    MPI_Query_thread(&level);
  } else if (launcher_variable() != nullptr) {
    MPI_Init_thread(
        nullptr,
        nullptr,
        options.threads == mpi_threads::multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_SERIALIZED,
        &level);
    is_begun_here_ = true;
  } else {
    return;
  }
  is_used_ = true;
  try {
    require_level(level, options);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  } catch (...) {
    if (is_begun_here_) {
      MPI_Finalize();  // otherwise the launcher reports a crash of this process
    }
    throw;
  }
}

mpi_session::~mpi_session() {
  requests_.reset();
  if (is_begun_here_) {
    MPI_Finalize();
  }
}

int mpi_session::smallest(int number) const {
  if (is_used_) {
    MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  }
  return number;
}

std::unique_ptr<transport> mpi_session::make_transport(const runtime_options& options) {
  if (is_used_) {
    requests_ = std::make_shared<polled_requests>();
    return std::make_unique<mpi_transport>(options.aggregate);
  }
  return std::make_unique<memory_transport>(std::make_shared<memory_world>(memory_world_options{}),
                                            0);
}

}  // namespace weft::distributed::detail
