// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of a runtime's counters. A name that HPX also uses has the same meaning as in HPX.
#include "tasks/counters/runtime_counter_rows.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/counters/counter.hpp"
#include "weft/counters/worker_block.hpp"

#include "tasks/counters/runtime_formulas.hpp"
#include "tasks/counters/runtime_moment.hpp"

namespace weft::tasks::detail {
namespace {

using counters::worker_histograms;
using counters::worker_totals;
using enum counters::counter_kind;
using enum counter_scope;
namespace formula = runtime_formulas;
using sums = worker_totals;
using present = present_numbers;
using histograms = worker_histograms<std::uint64_t>;

// clang-format off
constexpr std::array rows = {
// Members of `counters::worker_count_rows` need no row here.
// Work done.
runtime_counter_row{"/threads/count/cumulative", "", total, workers, formula::count<&sums::tasks_executed>,
  "Tasks that were run, those that still run included. A fork_join of two is one task, whoever runs it."},
runtime_counter_row{"/threads/count/cumulative-phases", "", total, workers, formula::phases,
  "Stretches of tasks' bodies: each begins with the body, or when a wait is over, and ends with the body, or at the next wait."},

// Where tasks were taken from and where they ran.
runtime_counter_row{"/threads/count/pending-accesses", "", total, workers, formula::count<&sums::loop_runs>,
  "Times that a worker took the next thing to run, from wherever: as loop-runs."},
runtime_counter_row{"/threads/count/pending-misses", "", total, workers, formula::misses,
  "Times that a worker had to take the next thing to run from elsewhere than its own queue."},
runtime_counter_row{"/threads/count/stolen-to-pending", "", total, workers, formula::count<&sums::steals_won>,
  "Tasks that a worker took from another one's queue: as steals-won."},
runtime_counter_row{"/threads/count/stolen-from-pending", "", total, pools, formula::count<&sums::steals_won>,
  "Tasks that were taken from a worker's queue by another one. Who lost how many is not counted."},

// Waiting.
runtime_counter_row{"/threads/count/stack-recycles", "", total, pools, formula::recycles,
  "Times that a stack was taken that had been used before."},
runtime_counter_row{"/threads/stacks/live", "", gauge, pools, formula::now<&present::num_stacks>,
  "Stacks that run, wait, or lie ready for a worker."},
runtime_counter_row{"/threads/stacks/high-water", "", gauge, pools, formula::now<&present::most_stacks>,
  "The most stacks that were live at once since the runtime was started; of several runtimes, the sum."},

// Sleeping.

// Where the time went. The five parts add up to the time that the workers existed.
runtime_counter_row{"/threads/time/executing", "ns", total, workers, formula::in_tasks,
  "Time in the bodies of tasks, in which they also start and join others."},
runtime_counter_row{"/threads/time/scheduling", "ns", total, workers, formula::scheduling,
  "Time between the bodies of two tasks while there was always a next one."},
runtime_counter_row{"/threads/time/stealing", "ns", total, workers, formula::time<&sums::ticks_stealing>,
  "Time in attempts to take another worker's task."},
runtime_counter_row{"/threads/time/searching", "ns", total, workers, formula::time<&sums::ticks_searching>,
  "Time without a task, but for stealing and sleeping."},
runtime_counter_row{"/threads/time/parked", "ns", total, workers, formula::time<&sums::ticks_parked>,
  "Time asleep for want of tasks."},
runtime_counter_row{"/threads/time/overall", "ns", total, workers, formula::overall,
  "Time that workers were there: executing, scheduling, stealing, searching and parked."},
runtime_counter_row{"/threads/time/cumulative", "ns", total, workers, formula::in_tasks,
  "Time in the bodies of tasks: as executing."},
runtime_counter_row{"/threads/time/cumulative-overhead", "ns", total, workers, formula::overhead,
  "Time not in the bodies of tasks: overall without cumulative."},
runtime_counter_row{"/threads/time/cumulative-overheads", "ns", total, workers, formula::overhead,
  "The name of cumulative-overhead in HPX's manual."},
runtime_counter_row{"/threads/time/average", "ns", quotient, workers, formula::per_task<formula::in_tasks>,
  "Time in bodies per task."},
runtime_counter_row{"/threads/time/average-phase", "ns", quotient, workers, formula::per_phase<formula::in_tasks>,
  "Time in bodies per phase."},
runtime_counter_row{"/threads/time/average-overhead", "ns", quotient, workers, formula::per_task<formula::overhead_of_tasks>,
  "Time not in bodies per task."},
runtime_counter_row{"/threads/time/average-phase-overhead", "ns", quotient, workers, formula::per_phase<formula::overhead_of_tasks>,
  "Time not in bodies per phase."},
runtime_counter_row{"/threads/idle-rate", "0.01%", quotient, workers, formula::idle_rate,
  "Share of the time that was not in the bodies of tasks: 10000 is all of it."},

// Durations.
runtime_counter_row{"/threads/wait-time/pending", "ns", quotient, workers, formula::queue_delay,
  "Mean time from a task's start to the beginning of its body, of tasks of about 50 ns and more."},
runtime_counter_row{"/threads/histogram/task-duration", "ns", histogram, workers, formula::histogram<&histograms::task_duration>,
  "How long tasks' bodies take, without tasks that they run as calls."},
runtime_counter_row{"/threads/histogram/queue-delay", "ns", histogram, workers, formula::histogram<&histograms::queue_delay>,
  "How long it is from a task's start to the beginning of its body, of tasks of about 50 ns and more."},
runtime_counter_row{"/threads/histogram/park-latency", "ns", histogram, workers, formula::histogram<&histograms::park_latency>,
  "How long it is from waking a worker to its going on."},

// Present state.
runtime_counter_row{"/threads/count/instantaneous/all", "", gauge, pools, formula::all_now,
  "Tasks that run, wait in a queue, or are suspended. One to be resumed is in a queue and suspended."},
runtime_counter_row{"/threads/count/instantaneous/active", "", gauge, workers, formula::now<&present::num_in_tasks>,
  "Workers that have a task to run or are about to look for the next one."},
runtime_counter_row{"/threads/count/instantaneous/pending", "", gauge, workers, formula::now<&present::num_in_deques>,
  "Tasks in workers' queues, those to be resumed included."},
runtime_counter_row{"/threads/count/instantaneous/staged", "", gauge, pools, formula::now<&present::num_from_outside>,
  "Tasks from outside that no worker has started yet."},
runtime_counter_row{"/threads/count/instantaneous/suspended", "", gauge, pools, formula::suspended_now,
  "Tasks that are suspended now."},
runtime_counter_row{"/threads/count/instantaneous/terminated", "", gauge, pools, formula::terminated_now,
  "Tasks that have ended and not been cleaned up: none, as that is the last thing that a task does."},
runtime_counter_row{"/threadqueue/length", "", gauge, workers, formula::queue_length,
  "Tasks in queues. The total has those in the runtime's own queue, too."},
runtime_counter_row{"/scheduler/utilization/instantaneous", "%", gauge, pools, formula::utilization_now,
  "Share of the workers that are in a task."},
runtime_counter_row{"/runtime/uptime", "s", gauge, process, formula::uptime,
  "Time since the first runtime of the process was started."},
};
// clang-format on

/// Returns "/threads/count/steals-tried" for "steals_tried".
std::string counter_of(std::string_view member) {
  std::string name = "/threads/count/" + std::string(member);
  std::ranges::replace(name, '_', '-');
  return name;
}

/// The rows above and one for each of a worker's counts. `names` holds the counter names of the
/// latter.
struct row_table {
  template <std::size_t... indices>
  explicit row_table(std::index_sequence<indices...> /*of_counts*/)
      : names{counter_of(counters::worker_count_rows[indices].name)...},
        all(rows.begin(), rows.end()) {
    (add(indices, formula::count<counters::worker_count_members<std::uint64_t>[indices]>), ...);
  }
  void add(std::size_t index, counters::counter_value (*value)(const counted_interval&)) {
    const counters::worker_count_row& row = counters::worker_count_rows[index];
    if (!row.help.empty()) {
      all.push_back({names[index], row.unit, total, workers, value, row.help});
    }
  }

  std::array<std::string, counters::worker_count_rows.size()> names;
  std::vector<runtime_counter_row> all;
};

}  // namespace

std::span<const runtime_counter_row> runtime_counter_rows() {
  static const auto* const table = new row_table(
      std::make_index_sequence<counters::worker_count_rows.size()>());  // outlives statics
  return table->all;
}

}  // namespace weft::tasks::detail
