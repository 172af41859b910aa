// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times known work: in a plain loop, and as tasks of every kind.
#include "tasks/counters/calibration.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "weft/base/profile.hpp"
#include "weft/counters/worker_block.hpp"
#include "weft/tasks/detail/counters/task_clock.hpp"
#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/scheduler/block_memory.hpp"
#include "weft/tasks/detail/scheduler/forked.hpp"
#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/post.hpp"
#include "weft/tasks/timing_mode.hpp"

#include "tasks/deque/known_tasks.hpp"

namespace weft::tasks::detail {
namespace {

constexpr std::size_t num_timed = 32;
constexpr std::size_t num_between = 63;  // tasks that are not timed
constexpr std::size_t num_repeated = 64;

/// Runs branches that no processor can predict. Afterwards the branch predictor knows a task's
/// branches no better than in a program where one task in thousands is timed.
void scramble_branch_history(std::uint32_t& random) noexcept {
  for (int i = 0; i < 64; ++i) {
    random = random * 1664525U + 1013904223U;  // Numerical Recipes' linear congruential generator
    if ((random >> 31U) != 0) {
      asm volatile("" : "+r"(random));
    }
  }
}

/// Returns the mean of all but the longest samples, in which the thread may have lost its CPU. Not
/// the median, since a clock may advance in steps as long as a short task.
double usual_mean(std::vector<std::uint64_t>& ticks) {
  std::ranges::sort(ticks);
  ticks.resize(ticks.size() - ticks.size() / 16);
  return std::accumulate(ticks.begin(), ticks.end(), 0.0) / static_cast<double>(ticks.size());
}

/// The variables that known work writes its results to.
struct traces_of_work {
  std::uint64_t product = 1;
  std::atomic<std::int64_t> num_left{0};
};

/// Makes and runs tasks as posted tasks run: the worker's loop takes them from the deque.
struct posted_kind {
  static constexpr run_kind kind = run_kind::looped;
  known_posted_work work() { return {.work = {&traces.product}, .num_left = &traces.num_left}; }
  task& make() { return *make_block<posted_block<known_posted_work>>(self(), work()); }
  void run(task& t) { t.run(t); }
  traces_of_work traces;
};

/// Makes and runs tasks as forked tasks run: the forking task takes them back.
struct forked_kind {
  static constexpr run_kind kind = run_kind::called;
  known_work work() { return {&traces.product}; }
  task& make() {
    forks.push_back(std::make_unique<forked<known_work>>(common));
    return *forks.back();
  }
  void run(task& t) {
    t.run(t);
    static_cast<forked<known_work>&>(t).take();
  }
  traces_of_work traces;
  known_work common = work();
  std::vector<std::unique_ptr<forked<known_work>>> forks;
};

/// Makes and runs tasks as grouped tasks run: the task that made the group takes them from the
/// deque.
struct grouped_kind {
  static constexpr run_kind kind = run_kind::grouped;
  known_work work() { return {&traces.product}; }
  task& make() { return group.make(work()); }
  void run(task& t) { group.run(t); }
  traces_of_work traces;
  known_group group;
};

/// Times a task as a worker does.
template <class Kind>
[[gnu::noinline]] std::uint64_t timed_ticks(task_clock& by, Kind& how, task& t) {
  timed_task timing{
      .subject = &t, .label = reinterpret_cast<const void*>(t.run), .kind = Kind::kind};
  const stack& here = *self()->current;
  by.begin(timing, here);
  how.run(t);
  const std::uint64_t end = ticks_between();
  by.end(timing, here);
  return end - timing.begin_ticks;
}

/// Returns the ticks of one call in a plain loop.
double ticks_of_calls(const auto& work) {
  std::vector<std::uint64_t> ticks(num_timed / 2);
  for (std::uint64_t& each : ticks) {
    const std::uint64_t before = ticks_between();
    for (std::size_t i = 0; i != num_repeated; ++i) {
      work();
    }
    each = ticks_between() - before;
  }
  return usual_mean(ticks) / static_cast<double>(num_repeated);
}

template <class Kind>
double ticks_of_tasks(task_clock& by, Kind& how, std::uint32_t& random) {
  std::vector<std::uint64_t> ticks(num_timed);
  std::array<task*, num_between + 1> tasks{};
  for (std::uint64_t& each : ticks) {
    std::ranges::generate(tasks, [&] { return &how.make(); });
    for (std::size_t i = 0; i != num_between; ++i) {
      how.run(*tasks[i]);
    }
    scramble_branch_history(random);
    each = timed_ticks(by, how, *tasks[num_between]);
  }
  return usual_mean(ticks);
}

/// Returns how many ticks timing adds to a task's measured duration. The middle of three results,
/// because one may have been disturbed.
template <class Kind>
std::uint64_t added_ticks(task_clock& by) {
  Kind how;
  std::uint32_t random = 1;
  std::array<double, 3> results{};
  std::ranges::generate(
      results, [&] { return ticks_of_tasks(by, how, random) - ticks_of_calls(how.work()); });
  std::ranges::sort(results);
  const double added = results[1];
  return static_cast<std::uint64_t>(std::max(0.0, std::round(added)));
}

double ticks_of_a_stamp() {
  std::vector<std::uint64_t> ticks(num_timed);
  for (std::uint64_t& each : ticks) {
    const std::uint64_t before = ticks_between();
    each = ticks_between() - before;
  }
  return usual_mean(ticks);
}

}  // namespace

timing_cost measure_timing() {
  // Timing takes four time stamps, and sums that cost about as much as two.
  constexpr double stamps_per_task = 6;
  const auto block = std::make_unique<counters::worker_block>();
  task_clock apart(*block, timing_mode::sampled, 1, nullptr);
  timing_cost found;
  found.added_to(run_kind::looped) = added_ticks<posted_kind>(apart);
  found.added_to(run_kind::called) = added_ticks<forked_kind>(apart);
  found.added_to(run_kind::grouped) = added_ticks<grouped_kind>(apart);
  found.cost_ticks = static_cast<std::uint64_t>(stamps_per_task * ticks_of_a_stamp()) + 1;
  return found;
}

namespace {

/// Returns what the profile names, if it does.
std::optional<timing_cost> known_timing(const base::machine_profile& profile) {
  using base::timing_part;
  const auto ticks = [&](timing_part part) {
    return static_cast<std::uint64_t>(*profile.timing[static_cast<std::size_t>(part)]);
  };
  if (!profile.timing.front()) {
    return std::nullopt;
  }
  timing_cost known{.cost_ticks = ticks(timing_part::cost)};
  known.added_to(run_kind::called) = ticks(timing_part::called);
  known.added_to(run_kind::looped) = ticks(timing_part::looped);
  known.added_to(run_kind::grouped) = ticks(timing_part::grouped);
  return known;
}

}  // namespace

const timing_cost& timing_cost_of_process() {
  static const timing_cost cost = [] {
    const std::optional<timing_cost> known = known_timing(base::profile());
    return known ? *known : measure_timing();
  }();
  return cost;
}

}  // namespace weft::tasks::detail
