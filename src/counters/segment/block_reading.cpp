// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies blocks while their workers run, and computes estimates from samples.
#include "weft/counters/block_reading.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include <sched.h>

#include "weft/counters/tick_clock.hpp"
#include "weft/counters/ticks.hpp"
#include "weft/counters/worker_block.hpp"

#include "counters/segment/block_numbers.hpp"

namespace weft::counters {
namespace {

using detail::for_each_count;
using detail::for_each_sample_sum;
using detail::for_each_weight;

template <class Apply>
void for_each_number(block_reading& to, const block_reading& from, Apply apply) {
  for_each_count(to.counts, from.counts, apply);
  for_each_sample_sum(to.samples, from.samples, apply);
  for_each_weight(to.histograms, from.histograms, apply);
}

std::uint64_t* ticks_in(worker_totals& counts, worker_state state) noexcept {
  switch (state) {
    case worker_state::executing:
      return &counts.ticks_executing;
    case worker_state::searching:
      return &counts.ticks_searching;
    case worker_state::stealing:
      return &counts.ticks_stealing;
    case worker_state::parked:
      return &counts.ticks_parked;
    case worker_state::absent:
      break;
  }
  return nullptr;
}

/// Copies the numbers that must be consistent. The present state's duration ends when `now` says.
template <class Now>
void copy_once(const worker_block& block, bool is_own, Now now, block_reading& to) noexcept {
  for_each_count(to.counts,
                 static_cast<const worker_counts<cell>&>(block),
                 [](std::uint64_t& copy, const cell& original) { copy = original.value(); });
  for_each_sample_sum(to.samples, block.samples, [](double& copy, const real_cell& original) {
    copy = original.value();
  });
  const std::uint64_t* left = block.tasks_left.load(std::memory_order_relaxed);
  if (is_own && left != nullptr) {
    to.counts.tasks_executed = block.tasks_issued.value() - __atomic_load_n(left, __ATOMIC_RELAXED);
  }
  const std::uint64_t since = block.state_since_ticks.value();
  if (std::uint64_t* stay = ticks_in(to.counts, block.state())) {
    const std::uint64_t end = now();
    *stay += end > since ? end - since : 0;  // the clocks of two CPUs may differ slightly
  }
}

template <class Now>
block_reading read(const worker_block& block, bool is_own, Now now) noexcept {
  // A worker that lost its CPU during a change gets some time to finish it. A process that died
  // during a change never finishes it.
  constexpr int most_attempts = 1000;
  constexpr int attempts_before_yield = 100;
  block_reading result;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    if (attempt >= attempts_before_yield) {
      sched_yield();
    }
    // acquire: pairs with end_change()
    const std::uint64_t before = block.change.load(std::memory_order_acquire);
    copy_once(block, is_own, now, result);
    // acquire: pairs with the release in begin_change()
    std::atomic_thread_fence(std::memory_order_acquire);
    if (before % 2 == 0 && block.change.load(std::memory_order_relaxed) == before) {
      break;
    }
  }
  for_each_weight(result.histograms, block.histograms, [](std::uint64_t& copy, const cell& c) {
    copy = c.value();
  });
  return result;
}

/// Returns the standard error of the mean of two or more samples, as that of a ratio of weighted
/// sums.
double standard_error(const duration_sums<double>& sums, double mean) noexcept {
  const double squares = sums.ticks2_w2 - 2 * mean * sums.ticks_w2 + mean * mean * sums.weight2;
  const double correction = sums.num / (sums.num - 1);
  return std::sqrt(std::max(0.0, squares) * correction) / sums.weight;
}

/// Returns a quantile of Student's distribution. The spread is itself estimated from the samples,
/// so the normal distribution would give too narrow an interval.
double student_quantile_975(double degrees_of_freedom) noexcept {
  constexpr std::array exact = {12.7062, 4.3027, 3.1824, 2.7764};
  if (degrees_of_freedom < exact.size() + 1) {
    return exact[static_cast<std::size_t>(degrees_of_freedom) - 1];
  }
  // Fisher's expansion around the normal distribution's quantile; accurate to 0.3 % from here on.
  const double inverse = 1 / degrees_of_freedom;
  return 1.959964 + inverse * (2.372271 + inverse * (2.822495 + inverse * 2.555855));
}

/// The usual accuracy of the calibration of timing. docs/counters.md says how often the truth is
/// inside the resulting intervals.
constexpr double calibration_half_width_s = 3e-9;

double half_width_of(const duration_sums<double>& sums, double mean) noexcept {
  if (sums.num < 2) {
    return std::numeric_limits<double>::infinity();
  }
  return std::hypot(student_quantile_975(sums.num - 1) * standard_error(sums, mean),
                    calibration_half_width_s / seconds_per_tick());
}

/// Returns an upper bound for the mean duration of untimed tasks of the loop. It is the time from
/// one to the next, minus the shortest possible gap. Nothing if too few are known.
std::optional<double> most_of_untimed(const sample_sums<double>& samples) noexcept {
  constexpr double enough_tasks = 100;
  constexpr double least_gap_s = 1e-9;  // about twenty instructions
  if (samples.window_tasks < enough_tasks) {
    return std::nullopt;
  }
  return samples.window_ticks / samples.window_tasks - least_gap_s / seconds_per_tick();
}

/// Reduces the mean of `found` by `ticks`, and its half width as well, because that part of its
/// interval was impossible.
void lower(estimate& found, double ticks) noexcept {
  found.mean -= ticks;
  found.half_width =
      std::max(calibration_half_width_s / seconds_per_tick(), found.half_width - ticks);
}

/// Returns the mean duration of the tasks of the loop, from begin to end. The time that timing adds
/// to short tasks differs between processes, so untimed tasks limit the estimate.
std::optional<estimate> mean_loop_duration(const sample_sums<double>& samples) noexcept {
  // Timing cannot add more than this: a larger difference means that the tasks between two timed
  // ones were different.
  constexpr double most_added_s = 20e-9;
  std::optional<estimate> found = mean_duration(samples.loop);
  const std::optional<double> most = most_of_untimed(samples);
  if (!found || !most || found->mean <= *most ||
      (found->mean - *most) * seconds_per_tick() > most_added_s) {
    return found;
  }
  lower(*found, found->mean - *most);
  return found;
}

/// Splits the busy time if no gap was sampled.
std::optional<busy_time> split_without_gaps(const block_reading& delta,
                                            double busy,
                                            double num_gaps) noexcept {
  // Few gaps, as in a program that forks and joins: even long gaps would take little time.
  constexpr double long_gap_ticks = 4096;
  constexpr double most_of_busy = 0.2;
  const double bound = num_gaps * long_gap_ticks;
  if (bound <= most_of_busy * busy) {
    return busy_time{.in_tasks_ticks = busy - bound / 2,
                     .scheduling_ticks = bound / 2,
                     .half_width_ticks = bound / 2};
  }
  const std::optional<estimate> task = mean_loop_duration(delta.samples);
  if (!task || task->num_samples < 2) {
    return std::nullopt;
  }
  // No gap is sampled if a thief never runs two tasks in a row.
  const auto num_tasks = static_cast<double>(delta.counts.loop_runs);
  const double in_tasks = std::min(busy, num_tasks * task->mean);
  return busy_time{.in_tasks_ticks = in_tasks,
                   .scheduling_ticks = busy - in_tasks,
                   .half_width_ticks = std::min(busy, num_tasks * task->half_width),
                   .num_samples = task->num_samples,
                   .one_in = task->one_in};
}

}  // namespace

block_reading& block_reading::operator+=(const block_reading& other) noexcept {
  for_each_number(*this, other, [](auto& sum, const auto& more) { sum += more; });
  return *this;
}

block_reading& block_reading::operator-=(const block_reading& earlier) noexcept {
  for_each_number(*this, earlier, [](auto& rest, const auto& before) { rest -= before; });
  return *this;
}

block_reading read_block(const worker_block& block) noexcept {
  return read(block, true, ticks_now);
}

block_reading read_foreign_block(const worker_block& block, std::uint64_t now_ticks) noexcept {
  return read(block, false, [now_ticks] { return now_ticks; });
}

std::optional<estimate> mean_duration(const duration_sums<double>& sums) noexcept {
  if (sums.num < 1 || sums.weight <= 0) {
    return std::nullopt;
  }
  const double mean = sums.ticks / sums.weight;
  return estimate{.mean = mean,
                  .half_width = half_width_of(sums, mean),
                  .num_samples = sums.num,
                  .one_in = sums.weight / sums.num};
}

std::optional<estimate> mean_task_duration(const block_reading& delta) noexcept {
  const sample_sums<double>& samples = delta.samples;
  std::optional<estimate> found = mean_duration(samples.task);
  const std::optional<estimate> timed = mean_duration(samples.loop);
  const std::optional<estimate> bounded = mean_loop_duration(samples);
  if (found && timed && bounded) {
    const double share = std::min(1.0, samples.loop.weight / samples.task.weight);
    lower(*found, share * (timed->mean - bounded->mean));
  }
  return found;
}

namespace {

/// Splits the busy time into task bodies and the rest. Bodies include the cost of forking and
/// joining the tasks that they call.
std::optional<busy_time> split_at_gaps(const block_reading& delta) noexcept {
  const auto busy = static_cast<double>(delta.counts.ticks_executing);
  const auto num_gaps = static_cast<double>(delta.counts.loop_runs + delta.counts.resumes);
  if (num_gaps == 0) {
    return busy_time{.in_tasks_ticks = busy};
  }
  const sample_sums<double>& samples = delta.samples;
  if (samples.num_gaps < 1) {
    return split_without_gaps(delta, busy, num_gaps);
  }
  // The processor overlaps the end of a task with the beginning of the next one, except around a
  // time stamp.
  constexpr double least_share = 0.1;
  const double stamped = samples.gap_ticks / samples.num_gaps;
  double gap = stamped;
  double gap_half_width = (1 - least_share) * stamped;
  const std::optional<estimate> task = mean_loop_duration(samples);
  if (task && samples.window_gaps > 0) {
    const double between = samples.window_ticks - samples.window_tasks * task->mean;
    gap = std::clamp(between / samples.window_gaps, least_share * stamped, stamped);
    gap_half_width =
        std::min(gap_half_width, task->half_width * samples.window_tasks / samples.window_gaps);
  }
  const double scheduling = std::min(busy, num_gaps * gap);
  return busy_time{.in_tasks_ticks = busy - scheduling,
                   .scheduling_ticks = scheduling,
                   .half_width_ticks = std::min(busy, num_gaps * gap_half_width),
                   .num_samples = samples.loop.num,
                   .one_in = task ? task->one_in : 1};
}

/// Returns an upper bound for the cost of forking and joining the called tasks. No time stamp
/// separates it from the bodies of the calling tasks.
double most_ticks_of_forks(const worker_totals& counts) noexcept {
  constexpr double most_fork_s = 30e-9;  // a future, or a coroutine
  const double num_called =
      static_cast<double>(counts.tasks_executed) - static_cast<double>(counts.loop_runs);
  return std::max(0.0, num_called) * most_fork_s / seconds_per_tick();
}

}  // namespace

std::optional<busy_time> split_busy_time(const block_reading& delta) noexcept {
  std::optional<busy_time> found = split_at_gaps(delta);
  if (found) {
    const auto busy = static_cast<double>(delta.counts.ticks_executing);
    found->half_width_ticks =
        std::min(busy, found->half_width_ticks + most_ticks_of_forks(delta.counts));
  }
  return found;
}

}  // namespace weft::counters
