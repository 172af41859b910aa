// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The processor time and the memory of a runtime without work.
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

#include <malloc.h>
#include <mpi.h>
#include <time.h>

#include "weft/distributed.hpp"

#include "lab/distributed/cells.hpp"
#include "lab/mpi/timing.hpp"
#include "lab/mpi/world.hpp"

namespace weft::lab::calls {
namespace {

namespace wd = weft::distributed;

double cpu_s() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Returns the processor time of this process per second of `wait`.
template <class Wait>
outcome share_during(const Wait& wait) {
  const double begin_s = mpi::now_s();
  const double begin_cpu_s = cpu_s();
  wait();
  const double share = (cpu_s() - begin_cpu_s) / (mpi::now_s() - begin_s);
  return {.readings = {{"cpu_share", share}}};
}

void sleep_s(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

/// One rank sleeps, and the others wait for it at `barrier`.
template <class Barrier>
outcome share_at(const setting& with, const Barrier& barrier) {
  barrier();
  outcome found = share_during([&] {
    if (with.ranks.is_root()) {
      sleep_s(with.idle_s);
    }
    barrier();
  });
  return found;
}

std::size_t heap_bytes() {
  const struct mallinfo2 now = mallinfo2();
  return now.uordblks + now.hblkhd;
}

long incremented(long number) { return number + 1; }

outcome growth_since(std::size_t begin_bytes, bool is_right) {
  const auto growth = static_cast<double>(heap_bytes()) - static_cast<double>(begin_bytes);
  return {.is_right = is_right, .readings = {{"heap_bytes", growth}}};
}

/// A runtime that has exchanged a call with each other rank.
outcome memory_of_runtime() {
  const std::size_t begin_bytes = heap_bytes();
  const wd::runtime job;
  bool is_right = true;
  for (auto& each : wd::broadcast_async<&incremented>(wd::all(), 1L)) {
    is_right = each.get() == 2 && is_right;
  }
  wd::barrier().get();
  return growth_since(begin_bytes, is_right);
}

/// A communicator by which each rank has exchanged a number with each other rank.
outcome memory_of_communicator(const setting& with) {
  const std::size_t begin_bytes = heap_bytes();
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Comm_dup(with.ranks.comm(), &own);
  bool is_right = true;
  for (int step = 0; step < with.ranks.size(); ++step) {
    const int to = (with.ranks.rank() + step) % with.ranks.size();
    const int from = (with.ranks.rank() - step + with.ranks.size()) % with.ranks.size();
    const long sent = with.ranks.rank();
    long received = -1;
    MPI_Sendrecv(
        &sent, 1, MPI_LONG, to, 0, &received, 1, MPI_LONG, from, 0, own, MPI_STATUS_IGNORE);
    is_right = received == from && is_right;
  }
  const outcome found = growth_since(begin_bytes, is_right);
  MPI_Comm_free(&own);
  return found;
}

}  // namespace

std::vector<cell> idle_cells(const setting& with) {
  const auto sleep = [&with](std::size_t /*calls*/) {
    return share_during([&] { sleep_s(with.idle_s); });
  };
  return {{.name = "idle",
           .params = {{"state", "asleep"}},
           .contestants = {{"mpi", false, sleep}, {"weft_thread", true, sleep}},
           .fixed_calls = 1},
          {.name = "idle",
           .params = {{"state", "at a barrier"}},
           .contestants = {{"mpi",
                            false,
                            [&with](std::size_t /*calls*/) {
                              return share_at(with, [&] { with.ranks.barrier(); });
                            }},
                           {"weft_thread",
                            true,
                            [&with](std::size_t /*calls*/) {
                              return share_at(with, [] { wd::barrier().get(); });
                            }}},
           .fixed_calls = 1}};
}

std::vector<cell> memory_cells(const setting& with) {
  return {
      {.name = "memory",
       .params = nlohmann::json::object(),
       .contestants =
           {{"mpi", false, [&with](std::size_t /*calls*/) { return memory_of_communicator(with); }},
            // not while another runtime exists
            {"weft_thread", false, [](std::size_t /*calls*/) { return memory_of_runtime(); }}},
       .fixed_calls = 1}};
}

}  // namespace weft::lab::calls
