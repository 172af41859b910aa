// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A barrier and a sum over all ranks as futures, beside MPI's own calls.
#include <cstddef>
#include <string_view>
#include <vector>

#include <mpi.h>

#include "weft/distributed.hpp"

#include "lab/distributed/cells.hpp"
#include "lab/mpi/timing.hpp"
#include "lab/mpi/world.hpp"

namespace weft::lab::calls {
namespace {

namespace wd = weft::distributed;

bool mpi_barriers(const setting& with, std::size_t calls) {
  for (std::size_t n = 0; n < calls; ++n) {
    MPI_Barrier(with.ranks.comm());
  }
  return true;
}

bool mpi_nonblocking_barriers(const setting& with, std::size_t calls) {
  for (std::size_t n = 0; n < calls; ++n) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(with.ranks.comm(), &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  return true;
}

bool weft_barriers(const setting& /*with*/, std::size_t calls) {
  for (std::size_t n = 0; n < calls; ++n) {
    wd::barrier().get();
  }
  return true;
}

/// The sum over ranks of rank + n, for n below `calls`.
double expected_sum(const setting& with, std::size_t calls) {
  const double size = with.ranks.size();
  const auto count = static_cast<double>(calls);
  return count * size * (size - 1) / 2 + size * count * (count - 1) / 2;
}

bool mpi_sums(const setting& with, std::size_t calls) {
  double total = 0;
  for (std::size_t n = 0; n < calls; ++n) {
    const double mine = with.ranks.rank() + static_cast<double>(n);
    double sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, with.ranks.comm());
    total += sum;
  }
  return total == expected_sum(with, calls);
}

bool mpi_nonblocking_sums(const setting& with, std::size_t calls) {
  double total = 0;
  for (std::size_t n = 0; n < calls; ++n) {
    const double mine = with.ranks.rank() + static_cast<double>(n);
    double sum = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, with.ranks.comm(), &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    total += sum;
  }
  return total == expected_sum(with, calls);
}

bool weft_sums(const setting& with, std::size_t calls) {
  double total = 0;
  for (std::size_t n = 0; n < calls; ++n) {
    total += wd::all_reduce(with.ranks.rank() + static_cast<double>(n), wd::reduction::sum).get();
  }
  return total == expected_sum(with, calls);
}

using operation = bool (*)(const setting&, std::size_t);

/// Runs `work` on all ranks, which a barrier of weft synchronises. The time is rank 0's.
template <class Work>
outcome timed_on_all(const setting& with, std::size_t calls, const Work& work) {
  static_cast<void>(work(std::size_t{1} + calls / 10));  // warm-up
  wd::barrier().get();
  const double begin_s = mpi::now_s();
  const bool is_right = work(calls);
  const double call_s = (mpi::now_s() - begin_s) / static_cast<double>(calls);
  return {.is_right = is_right, .readings = {{"call_s", with.ranks.is_root() ? call_s : 0.0}}};
}

struct ways {
  operation by_mpi;
  operation by_mpi_nonblocking;
  operation by_weft;
};

cell made(const setting& with, std::string_view name, const ways& of_it) {
  const auto of = [&with](operation work) {
    return [&with, work](std::size_t calls) { return work(with, calls); };
  };
  return {
      .name = "collective",
      .params = {{"operation", name}},
      .contestants = {{"mpi",
                       false,
                       [&with, work = of(of_it.by_mpi)](std::size_t calls) {
                         return timed_by_mpi(with, calls, work);
                       }},
                      {"mpi_nonblocking",
                       false,
                       [&with, work = of(of_it.by_mpi_nonblocking)](std::size_t calls) {
                         return timed_by_mpi(with, calls, work);
                       }},
                      {"weft_task",
                       true,
                       [&with, work = of(of_it.by_weft)](std::size_t calls) {
                         return timed_on_all(with, calls, in_task(work));
                       }},
                      {"weft_thread", true, [&with, work = of(of_it.by_weft)](std::size_t calls) {
                         return timed_on_all(with, calls, work);
                       }}}};
}

}  // namespace

std::vector<cell> collective_cells(const setting& with) {
  return {made(with, "barrier", {mpi_barriers, mpi_nonblocking_barriers, weft_barriers}),
          made(with, "all_reduce", {mpi_sums, mpi_nonblocking_sums, weft_sums})};
}

}  // namespace weft::lab::calls
