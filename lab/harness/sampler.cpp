// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calibration, warm-up and stop rules.
#include "lab/harness/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "lab/harness/clock.hpp"
#include "lab/harness/experiment.hpp"
#include "lab/harness/keep.hpp"

namespace weft::lab {
namespace {

constexpr double timer_costs_per_sample = 100;
constexpr double paper_time_s = 5;
constexpr double interruption_s = 50e-3;  // a few time slices of other processes

/// The kernel of the overhead measurement: one kept value per call.
class empty_experiment final : public experiment {
 public:
  verdict verify() override { return {}; }
  void prepare(std::size_t /*count*/) override {}
  void run(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      keep(i);
    }
  }
  [[nodiscard]] std::size_t max_calls() const override { return std::size_t{1} << 30; }
  [[nodiscard]] std::size_t bytes_min() const override { return 0; }
};

bool is_stable(std::span<const double> values) {
  constexpr std::size_t window = 5;
  constexpr double tolerance = 0.02;
  if (values.size() < 2 * window) {
    return false;
  }
  const double last = median(values.last(window));
  const double before = median(values.last(2 * window).first(window));
  return std::abs(last - before) <= tolerance * before;
}

}  // namespace

sampling_limits limits_of(const cell& what) {
  const auto max_samples = static_cast<double>(std::max<std::size_t>(what.max_samples, 1));
  if (what.protocol == "paper") {
    const double time_s = std::max(paper_time_s, what.min_time_s);
    return {.min_samples = 3,
            .max_samples = std::numeric_limits<std::size_t>::max(),
            .min_time_s = time_s,
            .max_time_s = time_s,
            .hard_time_s = time_s,
            .sample_time_s = time_s / max_samples,
            .warm_up_limit_s = 0.05 * time_s};
  }
  return {.min_samples = what.min_samples,
          .max_samples = what.max_samples,
          .min_time_s = what.min_time_s,
          .max_time_s = what.max_time_s,
          .hard_time_s = 10 * what.max_time_s,
          .sample_time_s = what.min_time_s / std::min(max_samples, 100.0),
          .warm_up_limit_s = 0.25 * what.max_time_s};
}

bool is_enough(std::size_t num_samples, double timed_s, const sampling_limits& limits) {
  if (num_samples >= limits.max_samples) {
    return true;
  }
  if (num_samples >= limits.min_samples) {
    return timed_s >= std::min(limits.min_time_s, limits.max_time_s);
  }
  return num_samples >= limits.few_samples && timed_s >= limits.hard_time_s;
}

double sampler::timed_batch_s(experiment& subject,
                              std::size_t num_calls,
                              batch_observer* observer) {
  subject.prepare(num_calls);
  if (observer != nullptr) {
    observer->before_batch();
  }
  const std::int64_t begin_ns = clock_.now_ns();
  subject.run(num_calls);
  const std::int64_t end_ns = clock_.now_ns();
  if (observer != nullptr) {
    observer->after_batch();
  }
  return seconds(end_ns - begin_ns);
}

double sampler::timed_sample_s(experiment& subject,
                               const schedule& plan,
                               batch_observer* observer) {
  double elapsed_s = 0;
  for (std::size_t i = 0; i < plan.num_batches; ++i) {
    elapsed_s += timed_batch_s(subject, plan.calls_per_batch, observer);
  }
  return elapsed_s;
}

void sampler::calibrate(experiment& subject, double aim_s, schedule& plan) {
  const std::size_t max_calls = std::max<std::size_t>(subject.max_calls(), 1);
  std::size_t num_calls = 1;
  double batch_s = 0;
  while (true) {
    // The shortest of three: an interrupted batch would seem long enough.
    batch_s = timed_batch_s(subject, num_calls, nullptr);
    plan.warm_up_calls += num_calls;
    for (int again = 0; again < 2 && batch_s >= aim_s && batch_s < aim_s + interruption_s;
         ++again) {
      batch_s = std::min(batch_s, timed_batch_s(subject, num_calls, nullptr));
      plan.warm_up_calls += num_calls;
    }
    if (batch_s >= aim_s || num_calls == max_calls) {
      break;
    }
    const double factor = std::clamp(1.2 * aim_s / std::max(batch_s, timer_.cost_s), 2.0, 10.0);
    const double wanted = std::ceil(static_cast<double>(num_calls) * factor);
    num_calls = static_cast<std::size_t>(std::min(wanted, static_cast<double>(max_calls)));
  }
  plan.calls_per_batch = num_calls;
  plan.call_s = batch_s / static_cast<double>(num_calls);
  if (batch_s < aim_s) {
    plan.num_batches =
        static_cast<std::size_t>(std::ceil(aim_s / std::max(batch_s, timer_.cost_s)));
  }
}

void sampler::enlarge(const experiment& subject, double aim_s, double sample_s, schedule& plan) {
  const auto num_calls = static_cast<double>(plan.calls_per_sample());
  const auto max_calls = static_cast<double>(std::max<std::size_t>(subject.max_calls(), 1));
  const double wanted = std::ceil(num_calls * aim_s / std::max(sample_s, timer_.cost_s));
  const double per_batch = std::min(wanted, max_calls);
  plan.call_s = sample_s / num_calls;
  plan.calls_per_batch = static_cast<std::size_t>(per_batch);
  plan.num_batches = static_cast<std::size_t>(std::ceil(wanted / per_batch));
}

void sampler::settle(experiment& subject, double deadline_s, double aim_s, schedule& plan) {
  std::vector<double> recent_s;
  while (now_s() < deadline_s && !is_stable(recent_s)) {
    const double sample_s = timed_sample_s(subject, plan, nullptr);
    plan.warm_up_calls += plan.calls_per_sample();
    recent_s.push_back(sample_s);
    if (sample_s < 0.5 * aim_s) {  // every batch of the calibration was interrupted
      enlarge(subject, aim_s, sample_s, plan);
      recent_s.clear();
    }
  }
}

schedule sampler::warm_up(experiment& subject, const sampling_limits& limits) {
  const double deadline_s = now_s() + limits.warm_up_limit_s;
  const double least_s = timer_costs_per_sample * std::max(timer_.cost_s, timer_.resolution_s);
  const double aim_s = std::max(limits.sample_time_s, least_s);
  schedule plan;
  plan.first_call_s = timed_batch_s(subject, 1, nullptr);
  plan.warm_up_calls = 1;
  plan.call_s = plan.first_call_s;
  // A single call that takes the whole warm-up time needs no calibration.
  if (plan.first_call_s < std::max(limits.warm_up_limit_s, aim_s)) {
    calibrate(subject, aim_s, plan);
    settle(subject, deadline_s, aim_s, plan);
  }
  return plan;
}

samples sampler::take(experiment& subject,
                      const schedule& plan,
                      const sampling_limits& limits,
                      batch_observer* observer) {
  samples taken;
  taken.per_call_s.reserve(std::min<std::size_t>(limits.max_samples, 1U << 16));
  const auto calls = static_cast<double>(plan.calls_per_sample());
  while (!is_enough(taken.per_call_s.size(), taken.timed_s, limits)) {
    const double sample_s = timed_sample_s(subject, plan, observer);
    taken.per_call_s.push_back(sample_s / calls);
    taken.timed_s += sample_s;
    taken.num_calls += plan.calls_per_sample();
    if (observer != nullptr && !observer->after_sample()) {
      break;
    }
  }
  return taken;
}

double median(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  if (sorted.size() % 2 == 1) {
    return *middle;
  }
  return std::midpoint(*std::max_element(sorted.begin(), middle), *middle);
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double measure_call_overhead(sampler& with) {
  const sampling_limits limits{.min_time_s = 0.002, .max_time_s = 0.01, .warm_up_limit_s = 0.01};
  empty_experiment nothing;
  const schedule plan = with.warm_up(nothing, limits);
  return median(with.take(nothing, plan, limits, nullptr).per_call_s);
}

}  // namespace weft::lab
