// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The round trip of a call while all workers run tasks of 10 us, beside a program that computes for
// 10 us between two looks at MPI.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

#include <mpi.h>

#include "weft/distributed.hpp"
#include "weft/tasks/post.hpp"
#include "weft/tasks/runtime.hpp"

#include "lab/distributed/cells.hpp"
#include "lab/mpi/timing.hpp"
#include "lab/mpi/world.hpp"

namespace weft::lab::calls {
namespace {

namespace wd = weft::distributed;
constexpr int tag = 9;
constexpr long last_number = -1;
constexpr double task_s = 10e-6;
constexpr int chains_per_worker = 4;
constexpr std::size_t calls_per_sample = 1000;

long incremented(long number) { return number + 1; }

void compute() {
  const double end_s = mpi::now_s() + task_s;
  while (mpi::now_s() < end_s) {
  }
}

// The load of this rank.
std::atomic<bool> is_ending{false};
std::atomic<int> num_chains{0};

/// A task that computes, and starts the next one.
void chain() {
  compute();
  if (is_ending.load()) {
    num_chains.fetch_sub(1);
  } else {
    weft::post(chain);
  }
}

void begin_load() {
  is_ending.store(false);
  num_chains.store(chains_per_worker * default_runtime().num_workers());
  for (int n = num_chains.load(); n != 0; --n) {
    weft::post(chain);
  }
}

void end_load() { is_ending.store(true); }
bool has_load() { return num_chains.load() != 0; }

outcome summarised(std::vector<double> latencies_s, bool is_right) {
  if (latencies_s.empty()) {
    return {.is_right = is_right, .readings = {{"call_s", 0.0}, {"p99_s", 0.0}}};
  }
  std::ranges::sort(latencies_s);
  const std::size_t last = latencies_s.size() - 1;
  return {.is_right = is_right,
          .readings = {{"call_s", latencies_s[last / 2]}, {"p99_s", latencies_s[last * 99 / 100]}}};
}

outcome call_under_load(const setting& with, std::size_t calls) {
  std::vector<double> latencies_s;
  bool is_right = true;
  wd::barrier().get();
  if (with.ranks.is_root()) {
    for (auto& each : wd::broadcast_async<&begin_load>(wd::all())) {
      each.get();
    }
    default_runtime().run([&] {
      const wd::locality there(last_rank(with));
      for (std::size_t call = 0; call < calls; ++call) {
        const double begin_s = mpi::now_s();
        const long answer = wd::async<&incremented>(there, static_cast<long>(call)).get();
        latencies_s.push_back(mpi::now_s() - begin_s);
        is_right = is_right && answer == static_cast<long>(call) + 1;
      }
    });
    for (auto& each : wd::broadcast_async<&end_load>(wd::all())) {
      each.get();
    }
    for (const wd::locality each : wd::all()) {
      while (wd::async<&has_load>(each).get()) {
      }
    }
  }
  wd::barrier().get();
  return summarised(std::move(latencies_s), is_right);
}

/// Computes until the request is complete.
void compute_and_test(MPI_Request& request) {
  for (int is_done = 0; is_done == 0;) {
    compute();
    MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
  }
}

outcome ping_pong_under_load(const setting& with, std::size_t calls) {
  const MPI_Comm comm = with.ranks.comm();
  std::vector<double> latencies_s;
  bool is_right = true;
  with.ranks.barrier();
  const auto exchange = [&](long& number, int partner) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&number, 1, MPI_LONG, partner, tag, comm, &request);
    compute_and_test(request);
  };
  if (with.ranks.is_root()) {
    const int partner = last_rank(with);
    for (std::size_t call = 0; call < calls; ++call) {
      auto number = static_cast<long>(call);
      const double begin_s = mpi::now_s();
      MPI_Send(&number, 1, MPI_LONG, partner, tag, comm);
      exchange(number, partner);
      latencies_s.push_back(mpi::now_s() - begin_s);
      is_right = is_right && number == static_cast<long>(call) + 1;
    }
    MPI_Send(&last_number, 1, MPI_LONG, partner, tag, comm);
  } else if (with.ranks.rank() == last_rank(with)) {
    long number = 0;
    exchange(number, 0);
    while (number != last_number) {
      number = incremented(number);
      MPI_Send(&number, 1, MPI_LONG, 0, tag, comm);
      exchange(number, 0);
    }
  }
  return summarised(std::move(latencies_s), is_right);
}

}  // namespace

std::vector<cell> busy_round_trip_cells(const setting& with) {
  return {
      {.name = "busy_round_trip",
       .params = {{"size_bytes", sizeof(long)}, {"task_s", task_s}},
       .contestants = {{"mpi",
                        false,
                        [&with](std::size_t calls) { return ping_pong_under_load(with, calls); }},
                       {"weft_task",
                        true,
                        [&with](std::size_t calls) { return call_under_load(with, calls); }}},
       .fixed_calls = calls_per_sample}};
}

}  // namespace weft::lab::calls
