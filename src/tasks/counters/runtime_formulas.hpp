// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes the values of a runtime's counters from the counts of its workers.
#pragma once

#include <cstdint>

#include "weft/counters/block_reading.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/worker_block.hpp"

#include "tasks/counters/runtime_counter_rows.hpp"
#include "tasks/counters/runtime_moment.hpp"

/// Functions that return the value of one counter. A value estimated from samples has an error. A
/// value that needs samples is absent if nothing was sampled.
namespace weft::tasks::detail::runtime_formulas {

using counters::counter_value;
using counters::tick_histogram;
using counters::worker_histograms;
using counters::worker_totals;

[[nodiscard]] counter_value whole(std::uint64_t number);
[[nodiscard]] counter_value whole_ns(double duration_ns);

template <std::uint64_t worker_totals::* member>
counter_value count(const counted_interval& of) {
  return whole(of.count(member));
}

template <std::uint64_t worker_totals::* member>
counter_value time(const counted_interval& of) {
  return whole_ns(of.ns(static_cast<double>(of.count(member))));
}

template <std::int64_t present_numbers::* member>
counter_value now(const counted_interval& of) {
  return {.value = of.now.present.*member};
}

[[nodiscard]] counter_value phases(const counted_interval& of);
[[nodiscard]] counter_value misses(const counted_interval& of);
[[nodiscard]] counter_value recycles(const counted_interval& of);

[[nodiscard]] counter_value in_tasks(const counted_interval& of);
[[nodiscard]] counter_value scheduling(const counted_interval& of);
[[nodiscard]] counter_value overall(const counted_interval& of);
[[nodiscard]] counter_value overhead(const counted_interval& of);
/// As `overhead`, but without a value if its error exceeds half of it.
[[nodiscard]] counter_value overhead_of_tasks(const counted_interval& of);
[[nodiscard]] counter_value idle_rate(const counted_interval& of);
[[nodiscard]] counter_value queue_delay(const counted_interval& of);

[[nodiscard]] counter_value suspended_now(const counted_interval& of);
[[nodiscard]] counter_value terminated_now(const counted_interval& of);
[[nodiscard]] counter_value all_now(const counted_interval& of);
[[nodiscard]] counter_value queue_length(const counted_interval& of);
[[nodiscard]] counter_value utilization_now(const counted_interval& of);
[[nodiscard]] counter_value uptime(const counted_interval& of);

/// Returns `time` divided by `number`, with its error; no value if `number` is zero.
[[nodiscard]] counter_value divided(counter_value time, double number, const char* of_what);

template <counter_value (*time)(const counted_interval&)>
counter_value per_task(const counted_interval& of) {
  return divided(time(of), static_cast<double>(of.count(&worker_totals::tasks_executed)), "task");
}

template <counter_value (*time)(const counted_interval&)>
counter_value per_phase(const counted_interval& of) {
  return divided(time(of),
                 static_cast<double>(of.count(&worker_totals::tasks_executed) +
                                     of.count(&worker_totals::resumes)),
                 "phase of a task");
}

/// Converts a histogram to ns, without the empty ranges at both ends.
[[nodiscard]] counters::histogram_value in_ns(const counted_interval& of,
                                              const tick_histogram<std::uint64_t>& recorded);

template <tick_histogram<std::uint64_t> worker_histograms<std::uint64_t>::* member>
counter_value histogram(const counted_interval& of) {
  return {.value = in_ns(of, of.counted().histograms.*member)};
}

}  // namespace weft::tasks::detail::runtime_formulas
