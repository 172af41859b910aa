// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times an experiment: batches large enough for the clock, warm-up until stable, every raw sample
// kept.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "lab/harness/clock.hpp"
#include "lab/harness/experiment.hpp"

namespace weft::lab {

/// When to stop, and how long one sample must be.
struct sampling_limits {
  std::size_t min_samples = 10;
  std::size_t max_samples = 1000;
  double min_time_s = 0.02;  // of timed work
  double max_time_s = 0.5;   // of timed work, once `min_samples` are there
  double hard_time_s = 5;    // of timed work, once `few_samples` are there
  std::size_t few_samples = 3;
  double sample_time_s = 2e-4;     // target for one sample; never less than 100 x timer cost
  double warm_up_limit_s = 0.125;  // of wall time, preparations included
};

/// Returns the limits of the cell's protocol (docs/reference/records.md).
[[nodiscard]] sampling_limits limits_of(const cell& what);

/// Returns whether `num_samples` with `timed_s` seconds of timed work are enough.
[[nodiscard]] bool is_enough(std::size_t num_samples,
                             double timed_s,
                             const sampling_limits& limits);

/// The composition of a sample: `num_batches` times an untimed `prepare` and a timed `run` of
/// `calls_per_batch` calls.
struct schedule {
  std::size_t calls_per_batch = 1;
  std::size_t num_batches = 1;
  std::size_t warm_up_calls = 0;
  double first_call_s = 0;
  double call_s = 0;  // as calibrated

  [[nodiscard]] std::size_t calls_per_sample() const noexcept {
    return calls_per_batch * num_batches;
  }
};

/// All samples in order.
///
/// Units:   seconds per call.
struct samples {
  std::vector<double> per_call_s;
  double timed_s = 0;
  std::size_t num_calls = 0;
};

/// Gets every timed batch and sample; its own work is not timed.
class batch_observer {
 public:
  batch_observer() = default;
  batch_observer(const batch_observer&) = delete;
  batch_observer& operator=(const batch_observer&) = delete;
  virtual ~batch_observer() = default;

  virtual void before_batch() = 0;
  virtual void after_batch() = 0;
  /// The batches since the last call form one sample. Returns whether to continue.
  virtual bool after_sample() { return true; }
};

/// Warms up an experiment, determines its schedule and takes its samples.
///
/// Threads: one thread, the one that made the experiment.
/// Example: tests/harness/sampler_test.cpp
class sampler {
 public:
  sampler(clock_source& clock, timer_properties timer) : clock_(clock), timer_(timer) {}

  /// Times the first call. Then enlarges the batch until one lasts long enough for the clock. Then
  /// repeats the batch until the median of five samples is within 2 % of the previous five's
  /// median, or the warm-up time has passed.
  schedule warm_up(experiment& subject, const sampling_limits& limits);

  /// Times one call, and nothing before it.
  ///
  /// Units:   seconds.
  [[nodiscard]] double cold_call_s(experiment& subject) {
    return timed_batch_s(subject, 1, nullptr);
  }

  /// Runs one untimed batch, so that the caches are as after a timed batch.
  static void warm_again(experiment& subject, const schedule& plan) {
    subject.prepare(plan.calls_per_batch);
    subject.run(plan.calls_per_batch);
  }

  /// Takes samples until they suffice or `observer`, which may be null, stops.
  samples take(experiment& subject,
               const schedule& plan,
               const sampling_limits& limits,
               batch_observer* observer);

 private:
  double timed_batch_s(experiment& subject, std::size_t num_calls, batch_observer* observer);
  double timed_sample_s(experiment& subject, const schedule& plan, batch_observer* observer);
  void calibrate(experiment& subject, double aim_s, schedule& plan);
  void enlarge(const experiment& subject, double aim_s, double sample_s, schedule& plan);
  void settle(experiment& subject, double deadline_s, double aim_s, schedule& plan);
  [[nodiscard]] double now_s() { return seconds(clock_.now_ns()); }

  clock_source& clock_;
  timer_properties timer_;
};

/// Middle value, or the mean of the two middle values.
///
/// Shape:   not empty.
[[nodiscard]] double median(std::span<const double> values);

/// Arithmetic mean.
///
/// Shape:   not empty.
[[nodiscard]] double mean(std::span<const double> values);

/// Returns the sampler's reading for one call of an experiment that does nothing.
///
/// Units:   seconds.
[[nodiscard]] double measure_call_overhead(sampler& with);

}  // namespace weft::lab
