// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures the same kernels with the sampler and with Google Benchmark; exit code 1 if they
// disagree beyond their spread.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <numeric>
#include <vector>

#include <benchmark/benchmark.h>

#include "lab/harness/clock.hpp"
#include "lab/harness/experiment.hpp"
#include "lab/harness/keep.hpp"
#include "lab/harness/sampler.hpp"

namespace {

using namespace weft::lab;

/// Sums an array; its size decides how long a call is.
class kernel {
 public:
  explicit kernel(std::size_t size) : values_(size, 1.0) {}
  [[gnu::noinline]] double operator()() const {
    return std::accumulate(values_.begin(), values_.end(), 0.0);
  }
  [[nodiscard]] std::size_t size() const { return values_.size(); }

 private:
  std::vector<double> values_;
};

class kernel_experiment final : public experiment {
 public:
  explicit kernel_experiment(const kernel& what) : what_(what) {}
  verdict verify() override {
    const bool is_right = what_() == static_cast<double>(what_.size());
    return {.mismatch = is_right ? "" : "the sum is wrong"};
  }
  void prepare(std::size_t /*count*/) override {}
  void run(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      keep(what_());
    }
  }
  [[nodiscard]] std::size_t max_calls() const override { return std::size_t{1} << 30; }
  [[nodiscard]] std::size_t bytes_min() const override { return what_.size() * sizeof(double); }

 private:
  const kernel& what_;
};

/// Collects each repetition's time per call instead of printing it.
class collector final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& /*context*/) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type == Run::RT_Iteration) {
        per_call_s.push_back(run.real_accumulated_time / static_cast<double>(run.iterations));
      }
    }
  }
  std::vector<double> per_call_s;
};

std::vector<double> with_google_benchmark(const kernel& what) {
  benchmark::ClearRegisteredBenchmarks();
  benchmark::RegisterBenchmark("kernel",
                               [&what](benchmark::State& state) {
                                 for (auto _ : state) {
                                   benchmark::DoNotOptimize(what());
                                 }
                               })
      ->Repetitions(15)
      ->MinTime(0.005)
      ->UseRealTime();
  collector collected;
  benchmark::RunSpecifiedBenchmarks(&collected);
  return collected.per_call_s;
}

std::vector<double> with_sampler(const kernel& what) {
  monotonic_clock clock;
  sampler with(clock, measure_timer(clock));
  const sampling_limits limits{.min_time_s = 0.075, .sample_time_s = 0.005};
  kernel_experiment subject(what);
  const schedule plan = with.warm_up(subject, limits);
  return with.take(subject, plan, limits, nullptr).per_call_s;
}

/// The middle half of the samples, as a share of their median.
double relative_spread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const double low = values[values.size() / 4];
  const double high = values[(3 * values.size()) / 4];
  return (high - low) / median(values);
}

/// Many rounds, because the machine's speed changes between two measurements, and where others are
/// at work for seconds on end; one agreeing round is agreement.
bool agree(std::size_t size) {
  constexpr double least_tolerance = 0.03;
  constexpr double loop_step_s = 0.4e-9;  // a cycle or two around each call, which compilers choose
  constexpr std::chrono::seconds longest(30);
  const kernel what(size);
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < longest) {
    const std::vector<double> ours_s = with_sampler(what);
    const std::vector<double> theirs_s = with_google_benchmark(what);
    const double difference = median(ours_s) / median(theirs_s) - 1;
    const double tolerance = std::max({least_tolerance,
                                       loop_step_s / median(theirs_s),
                                       relative_spread(ours_s),
                                       relative_spread(theirs_s)});
    const bool is_agreement = std::abs(difference) <= std::min(tolerance, 0.25);
    std::printf(
        "%zu elements: sampler %.4g ns, Google Benchmark %.4g ns, difference %+.1f %% of %.1f %%\n",
        size,
        median(ours_s) * 1e9,
        median(theirs_s) * 1e9,
        100 * difference,
        100 * tolerance);
    if (is_agreement) {
      return true;
    }
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  bool all_agree = true;
  for (const std::size_t size : {8U, 1000U, 100'000U}) {
    all_agree = agree(size) && all_agree;
  }
  return all_agree ? 0 : 1;
}
