// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the sampled mean duration of tasks with the truth: weft_counters_accuracy [RUNS
// [SPREAD]].
//
// Tasks are spins, of lengths between 1 - SPREAD and 1 + SPREAD times the mean. The truth is the
// time of the same spins in a plain loop on the same worker, once before and twice after the tasks.
// There is one worker, so nothing else runs at that time.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <ratio>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "weft/base/error.hpp"
#include "weft/counters/block_reading.hpp"
#include "weft/counters/block_registry.hpp"
#include "weft/counters/tick_clock.hpp"
#include "weft/tasks/latch.hpp"
#include "weft/tasks/post.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_options.hpp"
#include "weft/tasks/task_group.hpp"

#include "lab/counters/spin.hpp"

namespace weft::lab {
namespace {

using nanoseconds = std::chrono::duration<double, std::nano>;
using step_list = std::span<const std::uint64_t>;

constexpr double run_ns = 10e6;    // of tasks
constexpr double chunk_ns = 20e3;  // between readings of the clock
constexpr std::size_t fewest_tasks = 20;
constexpr std::size_t most_tasks = 200'000;
constexpr std::size_t batch_size =
    256;  // small, since otherwise tasks would wait for memory and the loop would not
constexpr std::array durations_ns = {25.0, 50.0, 500.0, 5e3, 500e3};

double ns_of(const auto& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return nanoseconds(std::chrono::steady_clock::now() - start).count();
}

double step_ns() {
  constexpr std::uint64_t steps = 100'000;
  double best_ns = INFINITY;
  for (int i = 0; i < 20; ++i) {
    best_ns = std::min(best_ns, ns_of([] { spin(steps); }));
  }
  return best_ns / static_cast<double>(steps);
}

/// Returns lengths of tasks that last `mean_ns` on average, the same ones every time.
std::vector<std::uint64_t> steps_of_tasks(double mean_ns, double spread) {
  const auto wanted = static_cast<std::size_t>(run_ns / mean_ns);
  std::vector<std::uint64_t> steps(std::clamp(wanted, fewest_tasks, most_tasks));
  const double mean_steps = mean_ns / step_ns();
  std::uint64_t random = 1;
  for (std::uint64_t& each : steps) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    const double uniform = static_cast<double>(random >> 11) * 0x1p-53;
    const double factor = 1 + spread * (2 * uniform - 1);
    each = static_cast<std::uint64_t>(std::max(1L, std::lround(factor * mean_steps)));
  }
  return steps;
}

/// Returns the time of each chunk of calls of `body` in a plain loop.
std::vector<double> chunk_times_ns(step_list steps, double mean_ns, const auto& body) {
  const auto chunk_size = static_cast<std::size_t>(std::max(1.0, chunk_ns / mean_ns));
  std::vector<double> times_ns;
  for (std::size_t first = 0; first < steps.size(); first += chunk_size) {
    const std::size_t last = std::min(first + chunk_size, steps.size());
    times_ns.push_back(ns_of([&] {
      for (std::size_t i = first; i != last; ++i) {
        body(steps[i]);
      }
    }));
  }
  return times_ns;
}

/// Returns the mean of a call. Of each chunk, the median of three times is used, because the loop
/// is sometimes disturbed.
double mean_of_middle_ns(std::array<std::vector<double>, 3> times_ns, std::size_t num_calls) {
  double sum_ns = 0;
  for (std::size_t i = 0; i < times_ns[0].size(); ++i) {
    const double a = times_ns[0][i];
    const double b = times_ns[1][i];
    sum_ns += std::max(std::min(a, b), std::min(std::max(a, b), times_ns[2][i]));
  }
  return sum_ns / static_cast<double>(num_calls);
}

/// How tasks are started. `run_tasks` runs one task per length; `time_loop` does the same work in a
/// loop.
struct way {
  std::string_view name;
  void (*run_tasks)(step_list steps);
  std::vector<double> (*time_loop)(step_list steps, double mean_ns);
};

void run_in_group(step_list steps) {
  task_group group;
  for (const std::uint64_t each : steps) {
    group.run([each] { spin(each); });
  }
  group.wait();
}

void run_posted(step_list steps) {
  latch done(static_cast<std::ptrdiff_t>(steps.size()));
  for (const std::uint64_t each : steps) {
    post([each, &done] {
      spin(each);
      done.count_down();
    });
  }
  done.wait();
}

std::vector<double> time_spins(step_list steps, double mean_ns) {
  return chunk_times_ns(steps, mean_ns, spin);
}

std::vector<double> time_counted_spins(step_list steps, double mean_ns) {
  latch done(static_cast<std::ptrdiff_t>(steps.size()));
  return chunk_times_ns(steps, mean_ns, [&](std::uint64_t each) {
    spin(each);
    done.count_down();
  });
}

constexpr std::array ways = {
    way{.name = "task_group", .run_tasks = run_in_group, .time_loop = time_spins},
    way{.name = "post", .run_tasks = run_posted, .time_loop = time_counted_spins}};

/// One run: the measured mean duration, and the true one.
struct comparison {
  double truth_ns = 0;
  double mean_ns = 0;
  double half_width_ns = 0;  // of its 95 % confidence interval
  double num_samples = 0;

  [[nodiscard]] double error() const { return mean_ns / truth_ns - 1; }
  [[nodiscard]] bool is_inside() const { return std::fabs(mean_ns - truth_ns) <= half_width_ns; }
};

/// The task that starts the others has not ended when the samples are read, so they do not include
/// it.
std::optional<counters::estimate> sampled_mean(const way& how, step_list steps) {
  const counters::block_reading before = counters::process_blocks().reading();
  for (; !steps.empty(); steps = steps.subspan(std::min(batch_size, steps.size()))) {
    how.run_tasks(steps.first(std::min(batch_size, steps.size())));
  }
  counters::block_reading delta = counters::process_blocks().reading();
  delta -= before;
  return counters::mean_task_duration(delta);
}

/// Returns nothing if no task was timed.
std::optional<comparison> compare(const way& how, step_list steps, double mean_ns) {
  std::vector<double> before = how.time_loop(steps, mean_ns);
  const auto sampled = sampled_mean(how, steps);
  std::vector<double> after = how.time_loop(steps, mean_ns);
  std::vector<double> later = how.time_loop(steps, mean_ns);
  if (!sampled) {
    return std::nullopt;
  }
  const double tick_ns = counters::seconds_per_tick() * 1e9;
  return comparison{.truth_ns = mean_of_middle_ns(
                        {std::move(before), std::move(after), std::move(later)}, steps.size()),
                    .mean_ns = sampled->mean * tick_ns,
                    .half_width_ns = sampled->half_width * tick_ns,
                    .num_samples = sampled->num_samples};
}

/// Returns the values at 2.5 %, 50 % and 97.5 %.
std::array<double, 3> spread_of(std::vector<double> values) {
  std::ranges::sort(values);
  const auto at = [&](double share) {
    return values[static_cast<std::size_t>(
        std::lround(share * static_cast<double>(values.size() - 1)))];
  };
  return {at(0.025), at(0.5), at(0.975)};
}

std::vector<double> of_each(const std::vector<comparison>& runs, const auto& value) {
  std::vector<double> values(runs.size());
  std::ranges::transform(runs, values.begin(), value);
  return values;
}

nlohmann::json summary(const std::vector<comparison>& runs) {
  const auto num_inside = std::ranges::count_if(runs, &comparison::is_inside);
  const auto truths = of_each(runs, [](const comparison& run) { return run.truth_ns; });
  const auto samples = of_each(runs, [](const comparison& run) { return run.num_samples; });
  const auto widths =
      of_each(runs, [](const comparison& run) { return run.half_width_ns / run.truth_ns; });
  return {{"runs", runs.size()},
          {"truth_ns", spread_of(truths)[1]},
          {"samples_per_run", spread_of(samples)[1]},
          {"half_width", spread_of(widths)[1]},
          {"error_at_2.5_50_97.5_percent", spread_of(of_each(runs, &comparison::error))},
          {"inside_interval", static_cast<double>(num_inside) / static_cast<double>(runs.size())}};
}

/// Runs tasks until the runtime has learned how often to sample, which takes a few samples.
void warm_up(const way& how, step_list steps) {
  constexpr double enough = 10;
  constexpr int most_runs = 20;
  double num_samples = 0;
  for (int i = 0; i < most_runs && num_samples < enough; ++i) {
    const auto sampled = sampled_mean(how, steps);
    num_samples = sampled ? sampled->num_samples : 0;
  }
}

void print_case(const way& how, double mean_ns, double spread, long num_runs) {
  const std::vector<std::uint64_t> steps = steps_of_tasks(mean_ns, spread);
  warm_up(how, steps);
  std::vector<comparison> runs;
  runs.reserve(static_cast<std::size_t>(num_runs));
  for (long i = 0; i < num_runs; ++i) {
    if (const auto run = compare(how, steps, mean_ns)) {
      runs.push_back(*run);
    }
  }
  if (runs.empty()) {
    throw error("no task was timed; leave WEFT_TIMING at sampled, or set it to exact");
  }
  nlohmann::json line{{"way", how.name}, {"wanted_ns", mean_ns}, {"spread", spread}};
  line.update(summary(runs));
  std::printf("%s\n", line.dump().c_str());
  std::fflush(stdout);
}

void print_all(long num_runs, double spread) {
  runtime_options options = runtime_options_from_environment();
  options.workers = 1;
  runtime worker(options);
  worker.run([&] {
    for (const way& how : ways) {
      for (const double mean_ns : durations_ns) {
        print_case(how, mean_ns, spread, num_runs);
      }
    }
  });
}

}  // namespace
}  // namespace weft::lab

int main(int argc, char** argv) try {
  const long num_runs = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 100;
  const double spread = argc > 2 ? std::strtod(argv[2], nullptr) : 0.5;
  if (num_runs < 1 || !(spread >= 0 && spread < 1)) {
    throw weft::error("weft_counters_accuracy [RUNS [SPREAD]]: RUNS from 1 on, SPREAD from 0 to 1");
  }
  weft::lab::print_all(num_runs, spread);
} catch (const weft::error& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 2;
}
