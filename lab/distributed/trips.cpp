// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The round trip of a call with 8 bytes, beside a ping-pong of 8 bytes.
#include <cstddef>
#include <vector>

#include <mpi.h>

#include "weft/distributed.hpp"
#include "weft/tasks/coroutine_future.hpp"  // IWYU pragma: keep: the promise of a coroutine
#include "weft/tasks/future.hpp"

#include "lab/distributed/cells.hpp"
#include "lab/mpi/world.hpp"

namespace weft::lab::calls {
namespace {

namespace wd = weft::distributed;
constexpr int tag = 7;

long incremented(long number) { return number + 1; }

bool ping_pong(const setting& with, std::size_t calls) {
  const int partner = with.ranks.is_root() ? last_rank(with) : 0;
  if (!with.ranks.is_root() && with.ranks.rank() != last_rank(with)) {
    return true;
  }
  long number = 0;
  for (std::size_t call = 0; call < calls; ++call) {
    if (with.ranks.is_root()) {
      MPI_Send(&number, 1, MPI_LONG, partner, tag, with.ranks.comm());
      MPI_Recv(&number, 1, MPI_LONG, partner, tag, with.ranks.comm(), MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(&number, 1, MPI_LONG, partner, tag, with.ranks.comm(), MPI_STATUS_IGNORE);
      number = incremented(number);
      MPI_Send(&number, 1, MPI_LONG, partner, tag, with.ranks.comm());
    }
  }
  return number == static_cast<long>(calls);
}

bool call_and_wait(const setting& with, std::size_t calls) {
  const wd::locality there(last_rank(with));
  long number = 0;
  for (std::size_t call = 0; call < calls; ++call) {
    number = wd::async<&incremented>(there, number).get();
  }
  return number == static_cast<long>(calls);
}

future<bool> call_and_await(int last, std::size_t calls) {
  const wd::locality there(last);
  long number = 0;
  for (std::size_t call = 0; call < calls; ++call) {
    number = co_await wd::async<&incremented>(there, number);
  }
  co_return number == static_cast<long>(calls);
}

}  // namespace

std::vector<cell> round_trip_cells(const setting& with) {
  const auto from_thread = [&with](std::size_t calls) { return call_and_wait(with, calls); };
  const auto from_coroutine = [&with](std::size_t calls) {
    return call_and_await(last_rank(with), calls).get();
  };
  return {{.name = "round_trip",
           .params = {{"size_bytes", sizeof(long)}},
           .contestants = {{"mpi",
                            false,
                            [&with](std::size_t calls) {
                              return timed_by_mpi(with, calls, [&with](std::size_t n) {
                                return ping_pong(with, n);
                              });
                            }},
                           {"weft_task",
                            true,
                            [&with, from_thread](std::size_t calls) {
                              return timed_by_root(with, calls, in_task(from_thread));
                            }},
                           {"weft_coroutine",
                            true,
                            [&with, from_coroutine](std::size_t calls) {
                              return timed_by_root(with, calls, from_coroutine);
                            }},
                           {"weft_thread", true, [&with, from_thread](std::size_t calls) {
                              return timed_by_root(with, calls, from_thread);
                            }}}}};
}

}  // namespace weft::lab::calls
