// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The workers of weft's own runtimes, for algorithms.
#include "weft/algorithms/detail/sharing/shares.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "weft/algorithms/detail/calls/launch.hpp"
#include "weft/algorithms/detail/sharing/crew.hpp"
#include "weft/algorithms/detail/sharing/prologue.hpp"
#include "weft/algorithms/detail/sharing/tasks.hpp"
#include "weft/algorithms/executor.hpp"
#include "weft/base/profile.hpp"
#include "weft/counters/algorithm_counts.hpp"
#include "weft/tasks/runtime_interface.hpp"

namespace weft::algorithms::detail {

namespace {

// Whether an algorithm asked for the default runtime before. relaxed: a wrong answer costs time.
constinit std::atomic<bool> knows_default_runtime{false};

/// Whether the policy's workers run, so that asking for them starts none.
[[nodiscard]] bool have_workers_started(const loop_policy& how) noexcept {
  return how.calls != &calls_of<default_executor> ||
         knows_default_runtime.load(std::memory_order_relaxed) || tasks::self() != nullptr;
}

/// Whether `rest_ns` of work is worth starting the policy's workers, which takes milliseconds. True
/// also if they run already. Otherwise true only after as much time was lost without them.
[[nodiscard]] bool pays_to_start(const loop_policy& how, float rest_ns) noexcept {
  static const auto start_ns = static_cast<float>(1000 * base::profile().start_us.value_or(1000));
  static constinit std::atomic<float> lost_ns{0};  // relaxed: an approximate value is enough
  if (have_workers_started(how)) {
    return true;
  }
  const float lost = lost_ns.load(std::memory_order_relaxed) + rest_ns / 2;
  lost_ns.store(lost, std::memory_order_relaxed);
  return lost >= start_ns;
}

}  // namespace

bool is_anyone_awake(const default_executor& /*executor*/) {
  return tasks::is_another_awake(tasks::current_scheduler());
}

bool is_anyone_awake(const runtime_executor& executor) {
  return tasks::is_another_awake(tasks::scheduler_of(executor.home()));
}

std::size_t num_workers(const default_executor& /*executor*/) {
  knows_default_runtime.store(true, std::memory_order_relaxed);
  return tasks::num_workers(tasks::current_scheduler());
}

std::size_t num_workers(const runtime_executor& executor) {
  const std::size_t all = tasks::num_workers(tasks::scheduler_of(executor.home()));
  return std::min(all, executor.max_workers().value_or(all));
}

tasks::scheduler& home_of(const runtime_executor& executor) {
  tasks::scheduler& home = tasks::scheduler_of(executor.home());
  tasks::refuse_in_fork(home);
  return home;
}

void invite(crew& all, const default_executor& /*executor*/) {
  all.invite(tasks::current_scheduler());
}

void invite(crew& all, const runtime_executor& executor) {
  all.invite(tasks::scheduler_of(executor.home()));
}

std::size_t num_shares(const loop_policy& how) {
  if (how.calls == nullptr) {
    return 1;
  }
  const std::size_t all = std::max<std::size_t>(how.calls->num_workers(how.executor), 1);
  return std::min(all, std::max<std::size_t>(how.most_cores.value_or(all), 1));
}

bool are_workers_awake(const loop_policy& how) {
  return have_workers_started(how) && num_shares(how) > 1 &&
         how.calls->is_anyone_awake(how.executor);
}

bool would_help(const loop_policy& how, float rest_ns) {
  return pays_to_start(how, rest_ns) && num_shares(how) > 1 &&
         pays_to_share(how.calls->is_anyone_awake(how.executor), rest_ns);
}

void run_region(const loop_policy& how, std::size_t max_shares, const crew_work& work) {
  const std::size_t shares = max_shares <= 1 ? 1 : std::min(max_shares, num_shares(how));
  crew* const all = shares <= 1 ? nullptr : crew::begin(work, shares - 1);
  if (all == nullptr) {
    work.call(work.context, 0);
    if (work.facts != nullptr) {
      counters::process_algorithms().count_alone(work.facts->num_elements);
    }
    return;
  }
  how.calls->invite(*all, how.executor);
  all->work_and_finish();
}

void run_tasks(const loop_policy& how, std::size_t num_tasks, const numbered_task& task) {
  // relaxed: what tasks write is ordered by the end of the region
  std::atomic<std::size_t> next{0};
  region(how, num_tasks, [&next, &task, num_tasks](std::size_t /*share*/) {
    for (;;) {
      const std::size_t mine = next.fetch_add(1, std::memory_order_relaxed);
      if (mine >= num_tasks) {
        return;
      }
      try {
        task.call(task.object, mine);
      } catch (...) {
        next.store(num_tasks, std::memory_order_relaxed);
        throw;
      }
    }
  });
}

}  // namespace weft::algorithms::detail
