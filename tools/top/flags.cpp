// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Judges a process by what its workers do.
#include "top/flags.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weft/counters/worker_block.hpp"

#include "top/process_state.hpp"
#include "top/view.hpp"

namespace weft::top {

namespace {

using counters::worker_state;

constexpr double stalled_s = 1;
constexpr double long_s = 10;

std::string whole(double seconds) {
  constexpr double most_s = 1e9;  // more is damaged, and fits no integer
  return std::to_string(static_cast<int>(std::clamp(seconds, 0.0, most_s))) + " s";
}

std::optional<flag> all_asleep(const view& of) {
  const double shortest_s = std::ranges::min(of.workers, {}, &worker_view::in_state_s).in_state_s;
  const bool are_parked = std::ranges::all_of(
      of.workers, [](const worker_view& row) { return row.state == worker_state::parked; });
  const std::string num_workers = std::to_string(of.workers.size());
  const std::string num_tasks = std::to_string(of.num_suspended);
  if (!are_parked || of.num_suspended == 0) {
    return std::nullopt;
  }
  if (of.status == process_status::killed) {  // it may have been so for any time
    return flag{.name = "STALLED",
                .reason = "all " + num_workers + " workers slept while " + num_tasks +
                          " tasks waited when it was killed"};
  }
  if (shortest_s < stalled_s) {
    return std::nullopt;
  }
  return flag{.name = "STALLED",
              .reason = "for " + whole(shortest_s) + " all " + num_workers +
                        " workers sleep while " + num_tasks +
                        " tasks wait: a deadlock, unless a timer or a blocking call ends a wait"};
}

std::optional<flag> nobody_executes(const view& of, double without_tasks_s) {
  const std::uint64_t num_queued = of.queue_length.value_or(0);
  const bool is_executing = std::ranges::any_of(
      of.workers, [](const worker_view& row) { return row.state == worker_state::executing; });
  if (is_executing || num_queued == 0 || without_tasks_s < stalled_s) {
    return std::nullopt;
  }
  return flag{.name = "STALLED",
              .reason = "for " + whole(without_tasks_s) + " nobody has executed any of " +
                        std::to_string(num_queued) + " queued tasks"};
}

}  // namespace

std::vector<flag> flags_of(const view& of, char process_state, double without_tasks_s) {
  std::vector<flag> flags;
  if (of.status == process_status::ended || of.workers.empty()) {
    return flags;
  }
  if (of.status == process_status::running && (process_state == 'T' || process_state == 't')) {
    flags.push_back({.name = "STOPPED", .reason = "by a signal or a debugger"});
    return flags;
  }
  for (const auto& found : {all_asleep(of), nobody_executes(of, without_tasks_s)}) {
    if (found) {
      flags.push_back(*found);
    }
  }
  for (const worker_view& row : of.workers) {
    if (row.state == worker_state::executing && row.same_task_s >= long_s) {
      flags.push_back(
          {.name = "LONG",
           .reason = counters::name_of_worker(row.worker, "worker", " ") + " of pool " +
                     std::to_string(row.pool) + " has been in the same task for " +
                     whole(row.same_task_s) +
                     (row.last_timed.empty() ? "" : "; it last timed " + row.last_timed)});
    }
  }
  return flags;
}

}  // namespace weft::top
