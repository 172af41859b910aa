// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The content of a worker's block at one moment, and the times derived from it.
#pragma once

#include <cstdint>
#include <optional>

#include "weft/counters/worker_block.hpp"

namespace weft::counters {

/// A consistent copy of a worker's block, or a sum or difference of such.
struct block_reading {
  worker_totals counts;  // the stay in the present state, up to now, included
  sample_sums<double> samples;
  worker_histograms<std::uint64_t> histograms;

  block_reading& operator+=(const block_reading& other) noexcept;
  block_reading& operator-=(const block_reading& earlier) noexcept;
};

/// Reads what `block` says now, the number of tasks exactly.
///
/// Cost:    copies 5 KiB; again if the worker changes the block meanwhile.
/// Threads: any of the worker's own process; see `block_registry::for_each` for how long it lives.
[[nodiscard]] block_reading read_block(const worker_block& block) noexcept;

/// Reads a block of another process, or of one that has ended. The number of tasks is as of the
/// worker's last change, and the present state lasts until `now_ticks`.
[[nodiscard]] block_reading read_foreign_block(const worker_block& block,
                                               std::uint64_t now_ticks) noexcept;

/// A mean estimated from samples.
struct estimate {
  double mean = 0;
  double half_width = 0;  // of the 95 % confidence interval; infinite with a single sample
  double num_samples = 0;
  double one_in = 1;  // mean number of events per sample
};

/// The mean of the durations behind `sums`; nothing if there are no samples.
///
/// Its interval holds what the samples leave open, and what timing adds to each of them, which is
/// usually known to 3 ns.
/// Units:   ticks.
/// Cost:    see `seconds_per_tick()`.
/// Source:  ratio estimator of weighted samples, Student's distribution.
/// Example: tests/counters/mean_duration_test.cpp: the_interval_is_students_and_that_of_timing.
[[nodiscard]] std::optional<estimate> mean_duration(const duration_sums<double>& sums) noexcept;

/// The mean duration of a task's body, without the tasks that it ran as calls; nothing if none was
/// timed.
///
/// As `mean_duration` of the timed tasks. If a loop ran tasks one after the other, the time to the
/// next start limits the duration of untimed tasks. If timed tasks are longer than that, the excess
/// is removed, up to the amount that timing can have added unseen.
/// Units:   ticks.
/// Example: tests/counters/mean_duration_test.cpp: tasks_are_not_longer_than_from_one_to_the_next.
[[nodiscard]] std::optional<estimate> mean_task_duration(const block_reading& delta) noexcept;

/// How the time that workers were executing divides.
struct busy_time {
  double in_tasks_ticks = 0;
  double scheduling_ticks = 0;
  double half_width_ticks = 0;  // of the 95 % confidence interval of either
  double num_samples = 0;
  double one_in = 1;
};

/// Splits the time that the workers were executing into that in task bodies and that between them.
///
/// The number of gaps between bodies is exact; their mean length is sampled. It is the time from
/// one sample to the next minus the tasks in between. It is limited to between a tenth of
/// and all of the value from stamps around single gaps. Those stamps keep the processor from
/// overlapping the gap with the tasks around it, so their value is too long.
///
/// If no gap was sampled though there were many, the time in bodies is their number times the mean
/// of the sampled ones. Tasks that their makers call have no gaps around them. The cost of their
/// forks and joins counts as the makers' bodies, and may be smaller by the width of the interval
/// for it.
///
/// Errors:  nothing if fewer than two bodies were sampled then.
/// Example: tests/counters/busy_time_test.cpp: few_gaps_take_little_whatever_their_length.
[[nodiscard]] std::optional<busy_time> split_busy_time(const block_reading& delta) noexcept;

}  // namespace weft::counters
