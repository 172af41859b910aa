// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program's own MPI calls among weft's tasks. Start it with mpirun, or alone as a job of one rank.
#include <numeric>
#include <vector>

#include <mpi.h>
#include <weft/distributed.hpp>
#include <weft/distributed/mpi_request.hpp>
#include <weft/execution.hpp>
#include <weft/tasks.hpp>

namespace wd = weft::distributed;
namespace ex = weft::execution;

namespace {

/// Sends numbers around the ring of ranks; the worker runs other tasks meanwhile.
weft::lazy_task<long> sum_from_the_left(std::vector<long> numbers) {
  const int size = wd::num_localities();
  const int rank = wd::here().rank();
  std::vector<long> received(numbers.size());
  const int count = static_cast<int>(numbers.size());
  MPI_Request sending = MPI_REQUEST_NULL;
  MPI_Request receiving = MPI_REQUEST_NULL;
  weft::mpi::with_mpi([&] {
    const int left = (rank + size - 1) % size;
    const int right = (rank + 1) % size;
    MPI_Irecv(received.data(), count, MPI_LONG, left, 0, MPI_COMM_WORLD, &receiving);
    MPI_Isend(numbers.data(), count, MPI_LONG, right, 0, MPI_COMM_WORLD, &sending);
  });
  co_await ex::when_all(weft::mpi::request(sending), weft::mpi::request(receiving));
  co_return std::reduce(received.begin(), received.end());
}

}  // namespace

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
  bool is_right = false;
  {
    const wd::runtime job(argc, argv);
    const int size = wd::num_localities();
    const long rank = wd::here().rank();
    const long left = (rank + size - 1) % size;
    const std::vector<long> numbers(1000, rank);
    is_right = weft::blocking_wait(sum_from_the_left(numbers)) == 1000 * left;
  }
  MPI_Finalize();
  return is_right ? 0 : 1;
}
