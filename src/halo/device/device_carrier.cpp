// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sends parcels by MPI.
#include "halo/device/device_carrier.hpp"

#include <cstddef>

#include <mpi.h>

#include "weft/halo/detail/grid.hpp"

namespace weft::halo::detail {

parcel mpi_carrier::send(const std::byte* from, std::ptrdiff_t bytes, const partner& to) {
  parcel made;
  check_mpi(
      MPI_Isend(from, static_cast<int>(bytes), MPI_BYTE, to.rank, to.tag, comm_, &made.request),
      "MPI_Isend");
  return made;
}

parcel mpi_carrier::receive(std::byte* into, std::ptrdiff_t bytes, const partner& from) {
  parcel made;
  check_mpi(
      MPI_Irecv(into, static_cast<int>(bytes), MPI_BYTE, from.rank, from.tag, comm_, &made.request),
      "MPI_Irecv");
  return made;
}

bool mpi_carrier::is_done(parcel& what) {
  int is_complete = 0;
  check_mpi(MPI_Test(&what.request, &is_complete, MPI_STATUS_IGNORE), "MPI_Test");
  return is_complete != 0;
}

}  // namespace weft::halo::detail
