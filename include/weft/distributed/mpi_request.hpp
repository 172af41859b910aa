// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Futures for a program's own MPI requests, and MPI calls of the program beside weft's.
#pragma once

#include <utility>

#include <mpi.h>

#include "weft/base/abi.hpp"  // IWYU pragma: keep
#include "weft/tasks/future.hpp"

namespace weft::mpi {

namespace detail {

/// Keeps other threads of weft from calling MPI while it lives, unless MPI allows it.
class exclusive_calls {
 public:
  exclusive_calls();
  exclusive_calls(const exclusive_calls&) = delete;
  exclusive_calls& operator=(const exclusive_calls&) = delete;
  ~exclusive_calls();

 private:
  bool is_locked_ = false;
};

}  // namespace detail

/// Gives a future that becomes ready when `request` is complete; its value is the status.
///
/// Coroutines await the future, and it is a sender. Until it is ready, the request belongs to weft:
/// do not test, wait for or free it. MPI_Cancel, within `with_mpi`, is allowed; MPI_Test_cancelled
/// then tells of the status whether it took effect. A persistent request can be started again
/// afterwards. A null or inactive request is complete at once.
/// Cost:    a block for the future; one MPI_Test, and then a share of one MPI_Testsome of at most
///          64 requests in each poll.
/// Threads: any, also within `with_mpi`.
/// Errors:  `weft::error` without a `weft::distributed::runtime` that uses MPI. The future fails with
///          `weft::error` if MPI reports an error for the request, or if the `runtime` ends first.
///          MPI reports it if the communicator has MPI_ERRORS_RETURN, MPICH if MPI_COMM_WORLD and
///          MPI_COMM_SELF have it; otherwise it ends the program.
/// Example: tests/distributed/mpi_request_test.cpp: a_receive_is_awaited.
[[nodiscard]] future<MPI_Status> request(MPI_Request request);

/// Calls `f`, which calls MPI; no other thread of weft calls MPI meanwhile.
///
/// The messages of weft are not handled until `f` returns. So `f` starts operations, and `request`
/// waits for them: calls that wait for another rank, such as MPI_Recv, may wait forever.
/// With MPI_THREAD_MULTIPLE, `f` runs beside the calls of other threads.
/// Cost:    a lock; it waits for a poll in progress.
/// Threads: any. `f` must not suspend its task.
/// Errors:  what `f` throws; `weft::error` within another `with_mpi`.
/// Example: tests/distributed/mpi_request_test.cpp: a_receive_is_awaited.
template <class F>
decltype(auto) with_mpi(F&& f) {
  const detail::exclusive_calls guard;
  return std::forward<F>(f)();
}

}  // namespace weft::mpi
