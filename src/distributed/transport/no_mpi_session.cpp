// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The session of a library that was built without MPI.
#include <memory>
#include <string>

#include "weft/base/error.hpp"
#include "weft/distributed/runtime.hpp"

#include "distributed/transport/launcher.hpp"
#include "distributed/transport/memory_transport.hpp"
#include "distributed/transport/mpi_session.hpp"

namespace weft::distributed::detail {

mpi_session::mpi_session(const runtime_options& /*options*/) {
  if (const char* const variable = launcher_variable()) {
    throw error("a launcher started this process as one of several (" + std::string(variable) +
                " is set), but weft was built without MPI: install Open MPI or MPICH and build "
                "weft again");
  }
}

mpi_session::~mpi_session() = default;

int mpi_session::smallest(int number) const { return number; }

std::unique_ptr<transport> mpi_session::make_transport(const runtime_options& /*options*/) {
  return std::make_unique<memory_transport>(std::make_shared<memory_world>(memory_world_options{}),
                                            0);
}

}  // namespace weft::distributed::detail
