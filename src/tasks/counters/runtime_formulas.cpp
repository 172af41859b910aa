// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes the values of a runtime's counters.
#include "tasks/counters/runtime_formulas.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "weft/counters/block_reading.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/worker_block.hpp"

#include "counters/core/tick_buckets.hpp"
#include "tasks/counters/runtime_counter_rows.hpp"
#include "tasks/counters/runtime_moment.hpp"

namespace weft::tasks::detail::runtime_formulas {
namespace {

using counters::busy_time;
using counters::sampling;

constexpr const char* nothing_sampled =
    "no task has been timed since the last reset; --weft:timing=sampled times some, exact all";

constexpr const char* not_separable =
    "tasks are so short that samples cannot tell them from what it costs to start and to end them";

double overall_ticks(const counted_interval& of) noexcept {
  return static_cast<double>(
      of.count(&worker_totals::ticks_executing) + of.count(&worker_totals::ticks_searching) +
      of.count(&worker_totals::ticks_stealing) + of.count(&worker_totals::ticks_parked));
}

std::int64_t num_suspended(const counted_interval& of) noexcept {
  const worker_totals& counts = of.now.counted.counts;
  // The reading of a later worker may contain a resume whose suspension came after the earlier
  // readings.
  return std::max(std::int64_t{0}, static_cast<std::int64_t>(counts.suspensions - counts.resumes));
}

/// Makes a value for a share of a measured time. The samples only estimate how large the share is.
counter_value estimated(const counted_interval& of, double ticks, const busy_time& busy) {
  counter_value result = whole_ns(of.ns(ticks));
  if (busy.num_samples > 0) {
    result.sampled = sampling{.one_in = busy.one_in,
                              .num_samples = static_cast<std::uint64_t>(busy.num_samples),
                              .half_width = of.ns(busy.half_width_ticks)};
  }
  return result;
}

/// True if the division into task bodies and gaps is known to a tenth of the time that both took.
bool are_separable(const counted_interval& of, const busy_time& busy) noexcept {
  constexpr double most_unknown = 0.1;
  const auto executing = static_cast<double>(of.count(&worker_totals::ticks_executing));
  return busy.half_width_ticks <= most_unknown * executing;
}

/// Calls `ticks_of(busy)`. Returns no value if nothing was sampled, or the samples are too few.
template <class TicksOf>
counter_value of_busy_time(const counted_interval& of, TicksOf ticks_of) {
  const std::optional<busy_time> busy = counters::split_busy_time(of.counted());
  if (!busy) {
    return {.value = std::nullopt, .reason = nothing_sampled};
  }
  if (!are_separable(of, *busy)) {
    return {.value = std::nullopt, .reason = not_separable};
  }
  return estimated(of, ticks_of(*busy), *busy);
}

double overhead_ticks(const counted_interval& of, const busy_time& busy) noexcept {
  return overall_ticks(of) - busy.in_tasks_ticks;
}

}  // namespace

counter_value whole(std::uint64_t number) { return {.value = static_cast<std::int64_t>(number)}; }

counter_value whole_ns(double duration_ns) {
  return {.value = static_cast<std::int64_t>(std::llround(duration_ns))};
}

counter_value phases(const counted_interval& of) {
  return whole(of.count(&worker_totals::tasks_executed) + of.count(&worker_totals::resumes));
}

counter_value misses(const counted_interval& of) {
  return whole(of.count(&worker_totals::injected) + of.count(&worker_totals::steals_won));
}

counter_value recycles(const counted_interval& of) {
  const std::int64_t made_before = of.since == nullptr ? 0 : of.since->present.num_stacks_made;
  const auto acquired = static_cast<std::int64_t>(of.count(&worker_totals::stacks_acquired));
  // A worker may hold a spare stack that it has not used yet.
  return {.value =
              std::max(std::int64_t{0}, acquired - (of.now.present.num_stacks_made - made_before))};
}

counter_value in_tasks(const counted_interval& of) {
  return of_busy_time(of, [](const busy_time& busy) { return busy.in_tasks_ticks; });
}

counter_value scheduling(const counted_interval& of) {
  return of_busy_time(of, [](const busy_time& busy) { return busy.scheduling_ticks; });
}

counter_value overall(const counted_interval& of) { return whole_ns(of.ns(overall_ticks(of))); }

counter_value overhead(const counted_interval& of) {
  return of_busy_time(of, [&](const busy_time& busy) { return overhead_ticks(of, busy); });
}

counter_value overhead_of_tasks(const counted_interval& of) {
  constexpr double most_unknown = 0.5;
  counter_value result = overhead(of);
  const auto num_tasks = static_cast<double>(of.count(&worker_totals::tasks_executed));
  const std::optional<busy_time> busy = counters::split_busy_time(of.counted());
  if (!result.value || !busy || num_tasks == 0 ||
      busy->half_width_ticks <= most_unknown * overhead_ticks(of, *busy)) {
    return result;
  }
  const double most_ticks = overhead_ticks(of, *busy) + busy->half_width_ticks;
  return {.value = std::nullopt,
          .reason = "samples say no more than that it is below " +
                    std::to_string(std::llround(std::ceil(of.ns(most_ticks) / num_tasks))) +
                    " ns per task"};
}

counter_value idle_rate(const counted_interval& of) {
  constexpr double whole_share = 10'000;
  counter_value idle = overhead(of);
  const double all_ns = of.ns(overall_ticks(of));
  if (!idle.value) {
    return idle;
  }
  if (all_ns <= 0) {
    return {.value = std::nullopt, .reason = "no worker has been there since the last reset"};
  }
  const auto idle_ns = static_cast<double>(std::get<std::int64_t>(*idle.value));
  idle.value = static_cast<std::int64_t>(std::llround(whole_share * idle_ns / all_ns));
  if (idle.sampled) {
    idle.sampled->half_width *= whole_share / all_ns;
  }
  return idle;
}

counter_value queue_delay(const counted_interval& of) {
  const counters::block_reading delta = of.counted();
  const auto& weights = delta.histograms.queue_delay.weight;
  double weight = 0;
  double ticks = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weight += static_cast<double>(weights[i]);
    ticks += static_cast<double>(weights[i]) * counters::detail::middle_of(i);
  }
  return divided({.value = of.ns(ticks)}, weight, "task with a known start");
}

counter_value suspended_now(const counted_interval& of) { return {.value = num_suspended(of)}; }

counter_value terminated_now(const counted_interval& /*of*/) { return whole(0); }

counter_value all_now(const counted_interval& of) {
  const present_numbers& present = of.now.present;
  return {.value = present.num_in_tasks + present.num_in_deques + present.num_from_outside +
                   num_suspended(of)};
}

counter_value queue_length(const counted_interval& of) {
  return {.value = of.now.present.num_in_deques + of.now.present.num_from_outside};
}

counter_value utilization_now(const counted_interval& of) {
  const present_numbers& present = of.now.present;
  return divided({.value = 100.0 * static_cast<double>(present.num_in_tasks)},
                 static_cast<double>(present.num_workers),
                 "worker that takes tasks");
}

counter_value uptime(const counted_interval& of) {
  if (!of.process.uptime) {
    return {.value = std::nullopt, .reason = "no runtime has been started yet"};
  }
  return {.value = std::chrono::duration<double>(*of.process.uptime).count()};
}

counter_value divided(counter_value time, double number, const char* of_what) {
  if (!time.value) {
    return time;
  }
  if (number <= 0) {
    return {.value = std::nullopt, .reason = std::string("there was no ") + of_what};
  }
  const auto* whole_time = std::get_if<std::int64_t>(&*time.value);
  const double dividend =
      whole_time == nullptr ? std::get<double>(*time.value) : static_cast<double>(*whole_time);
  time.value = dividend / number;
  if (time.sampled) {
    time.sampled->half_width /= number;
  }
  return time;
}

counters::histogram_value in_ns(const counted_interval& of,
                                const tick_histogram<std::uint64_t>& recorded) {
  return counters::detail::to_histogram(recorded, of.ns(1));
}

}  // namespace weft::tasks::detail::runtime_formulas
