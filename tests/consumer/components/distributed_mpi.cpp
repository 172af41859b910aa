// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that links weft::distributed_mpi: a number that this rank sends to itself is awaited.
#include <mpi.h>
#include <weft/distributed.hpp>
#include <weft/distributed/mpi_request.hpp>

static bool receives() {
  const weft::distributed::runtime job;
  const int sent = 42;
  int received = 0;
  MPI_Request sending = MPI_REQUEST_NULL;
  MPI_Request receiving = MPI_REQUEST_NULL;
  weft::mpi::with_mpi([&] {
    MPI_Irecv(&received, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &receiving);
    MPI_Isend(&sent, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &sending);
  });
  weft::mpi::request(sending).get();
  weft::mpi::request(receiving).get();
  return received == sent;
}

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
  const bool is_right = receives();
  MPI_Finalize();
  return is_right ? 0 : 1;
}
