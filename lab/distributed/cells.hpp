// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cells of the suite. The contestants of a cell do the same work by weft or by MPI.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "weft/distributed.hpp"
#include "weft/tasks/runtime.hpp"

#include "lab/mpi/timing.hpp"
#include "lab/mpi/world.hpp"

namespace weft::lab::calls {

/// A value of one sample. `name` ends in its unit: `call_s`, `p99_s`, `cpu_share`, `heap_bytes`.
struct reading {
  std::string_view name;
  double value;
};

/// One sample on one rank. The sample's values are the largest of all ranks.
struct outcome {
  bool is_right = true;
  std::vector<reading> readings;  // the same names on all ranks
};

/// One way to do the work of a cell. Threads: `run` is collective.
struct contestant {
  std::string_view name;
  bool is_weft = false;  // `run` is called while a weft::distributed::runtime exists
  std::function<outcome(std::size_t calls)> run;
};

/// `fixed_calls`: of one sample; 0: as many as the sample's time needs.
struct cell {
  std::string_view name;
  nlohmann::json params;
  std::vector<contestant> contestants;
  std::size_t fixed_calls = 0;
};

/// The common settings of all cells. `idle_s`: the length of a sample of the cell `idle`.
struct setting {
  const mpi::world& ranks;
  std::vector<long long> sizes_bytes;
  double idle_s = 1.0;
};

[[nodiscard]] std::vector<cell> round_trip_cells(const setting& with);
[[nodiscard]] std::vector<cell> busy_round_trip_cells(const setting& with);
[[nodiscard]] std::vector<cell> post_rate_cells(const setting& with);
[[nodiscard]] std::vector<cell> bandwidth_cells(const setting& with);
[[nodiscard]] std::vector<cell> collective_cells(const setting& with);
[[nodiscard]] std::vector<cell> idle_cells(const setting& with);
[[nodiscard]] std::vector<cell> memory_cells(const setting& with);
[[nodiscard]] std::vector<cell> gups_cells(const setting& with);
[[nodiscard]] std::vector<cell> heat_cells(const setting& with);
[[nodiscard]] std::vector<cell> uts_cells(const setting& with);

/// Rank 0 calls this rank; the last one of the job.
[[nodiscard]] inline int last_rank(const setting& with) noexcept { return with.ranks.size() - 1; }

/// Runs `work` on rank 0 between two barriers of weft, while the other ranks serve its calls.
/// `work(calls)` returns whether its answers are right.
template <class Work>
outcome timed_by_root(const setting& with, std::size_t calls, const Work& work) {
  outcome found{.readings = {{"call_s", 0.0}}};
  static_cast<void>(with.ranks.is_root() && !work(std::size_t{1} + calls / 10));  // warm-up
  distributed::barrier().get();
  if (with.ranks.is_root()) {
    const double begin_s = mpi::now_s();
    found.is_right = work(calls);
    found.readings[0].value = (mpi::now_s() - begin_s) / static_cast<double>(calls);
  }
  distributed::barrier().get();
  return found;
}

/// Returns the time of `work`, which is `calls` calls, for each of them.
template <class Work>
double seconds_per_call(std::size_t calls, const Work& work) {
  const double begin_s = mpi::now_s();
  work();
  return (mpi::now_s() - begin_s) / static_cast<double>(calls);
}

/// As `work`, but as a task of the default runtime.
template <class Work>
auto in_task(Work work) {
  return [work](std::size_t calls) {
    return default_runtime().run([&work, calls] { return work(calls); });
  };
}

/// Runs `work` on all ranks, which MPI synchronises. The time is rank 0's.
template <class Work>
outcome timed_by_mpi(const setting& with, std::size_t calls, const Work& work) {
  static_cast<void>(work(std::size_t{1} + calls / 10));  // warm-up
  with.ranks.barrier();
  const double begin_s = mpi::now_s();
  const bool is_right = work(calls);
  const double call_s = (mpi::now_s() - begin_s) / static_cast<double>(calls);
  return {.is_right = is_right, .readings = {{"call_s", with.ranks.is_root() ? call_s : 0.0}}};
}

}  // namespace weft::lab::calls
