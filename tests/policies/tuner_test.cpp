// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tuners on planted problems, on noise, and the test behind their verdicts.
#include "weft/policies/tuner.hpp"

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/error.hpp"
#include "weft/policies/detail/tuning.hpp"
#include "weft/policies/knobs.hpp"
#include "weft/policies/tuned.hpp"
#include "weft/policies/tuner_report.hpp"
#include "weft/tasks/runtime.hpp"

#include "tests/tasks/with_workers.hpp"

namespace tuner_test {

using namespace std::chrono_literals;
using weft::policies::chunk_by_duration;
using weft::policies::tuner;
using weft::policies::tuner_options;
using weft::policies::tuner_report;
using weft::policies::verdict;
using weft::policies::detail::signed_rank_p_value;

using random = std::mt19937;
using noise = std::function<double(random&)>;

tuner_options seeded(std::uint32_t seed) {
  tuner_options options;
  options.seed = seed;
  return options;
}

/// Tunes with `cost(value)` until there is a verdict. No verdict after many costs is an error.
template <class Value, class Cost>
tuner_report tune(tuner<Value>& tuned, Cost cost) {
  for (int i = 0; i < 10'000 && tuned.report().outcome == verdict::tuning; ++i) {
    tuned.note(cost(tuned.value()));
  }
  return tuned.report();
}

double p_of(std::vector<double> differences) {
  std::vector<double> scratch(differences.size() * (differences.size() + 1) + 1);
  return signed_rank_p_value(differences, scratch);
}

// Hand values: 2^-n for n positive differences; by enumeration for the others.
TEST(SignedRank, the_test_agrees_with_published_values) {
  EXPECT_DOUBLE_EQ(p_of({}), 1);
  EXPECT_DOUBLE_EQ(p_of({0, 0}), 1);
  EXPECT_DOUBLE_EQ(p_of({1, 2, 3, 4, 5}), 1.0 / 32);
  EXPECT_DOUBLE_EQ(p_of({-1, 2, 3, 4, 5}), 2.0 / 32);  // sums of 14 and 15
  EXPECT_DOUBLE_EQ(p_of({1, -2, 3, 4, 5}), 3.0 / 32);  // 13 to 15
  EXPECT_DOUBLE_EQ(p_of({1, 2, -3, 4, 5}), 5.0 / 32);  // 12 to 15
  EXPECT_DOUBLE_EQ(p_of({-1, -2, -3, -4, -5}), 1);
  EXPECT_DOUBLE_EQ(p_of({7, 7, 7, 0}), 1.0 / 8);  // ties, and a zero that is left out
  EXPECT_DOUBLE_EQ(p_of({7, 7, -7}), 4.0 / 8);    // of three equal ranks, two or more
  // Table of critical values for n = 16: a sum of 107 or more has a one-sided probability of 2.2 %.
  std::vector<double> sixteen;
  for (int i = 1; i <= 16; ++i) {
    sixteen.push_back(i == 13 || i == 16 ? -i : i);  // 136 - 29 = 107
  }
  EXPECT_NEAR(p_of(sixteen), 0.022, 0.001);
}

TEST(Tuner, a_planted_optimum_is_found) {
  int num_found = 0;
  constexpr int num_runs = 200;
  for (std::uint32_t seed = 0; seed < num_runs; ++seed) {
    random dice(seed);
    std::lognormal_distribution<double> factor(0, 0.1);
    tuner<int> tuned("planted", {1, 2, 4, 8, 16, 32, 64, 128}, 1, seeded(seed));

    const tuner_report report = tune(tuned, [&](int value) {
      const double steps = std::log2(value / 16.0);
      return (1 + 0.2 * steps * steps) * factor(dice);
    });

    num_found += tuned.value() == 16 && report.outcome == verdict::changed ? 1 : 0;
    ASSERT_NE(report.outcome, verdict::tuning);
  }
  EXPECT_GE(num_found, num_runs * 95 / 100);
}

// The limit of 5 % is that of the issue; the tuner's own significance is 2.5 %.
TEST(Tuner, noise_alone_keeps_the_present_value) {
  const std::vector<noise> distributions{
      [](random& dice) { return std::normal_distribution<double>(100, 5)(dice); },
      [](random& dice) { return std::lognormal_distribution<double>(0, 1)(dice); },
      [](random& dice) { return std::cauchy_distribution<double>(10, 1)(dice); },
      [](random& dice) { return std::uniform_int_distribution<int>(1, 3)(dice) * 1.0; },  // ties
      [](random& dice) { return std::bernoulli_distribution(0.1)(dice) ? 50.0 : 1.0; },
      [drift = 1.0](random& dice) mutable {  // costs that fall all the time
        drift *= 0.99;
        return drift * std::uniform_real_distribution<double>(1, 1.2)(dice);
      }};
  constexpr int num_runs = 1000;
  for (std::size_t which = 0; which < distributions.size(); ++which) {
    int num_kept = 0;
    for (std::uint32_t seed = 0; seed < num_runs; ++seed) {
      random dice(seed + 7919);
      noise cost = distributions[which];
      tuner<int> tuned("noise", {1, 2, 3, 4, 5}, 3, seeded(seed));
      num_kept += tune(tuned, [&](int) { return cost(dice); }).outcome == verdict::kept ? 1 : 0;
    }
    EXPECT_GE(num_kept, num_runs * 95 / 100) << "distribution " << which;
  }
}

TEST(Tuner, the_present_value_stays_if_it_is_best_or_as_good) {
  tuner<std::string> best("best", {"a", "b"}, "b");
  EXPECT_EQ(tune(best, [](const std::string& x) { return x == "a" ? 2.0 : 1.0; }).outcome,
            verdict::kept);
  EXPECT_EQ(best.value(), "b");

  tuner<int> hardly("hardly", {1, 2}, 1);  // better by less than `least_gain`
  EXPECT_EQ(tune(hardly, [](int x) { return x == 2 ? 0.995 : 1.0; }).outcome, verdict::kept);

  tuner<int> single("single", {5}, 5);
  EXPECT_EQ(single.report().outcome, verdict::kept);
}

TEST(Tuner, a_value_that_is_sometimes_much_slower_is_not_cheaper) {
  int num_changed = 0;
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    tuner<int> tuned("skewed", {1, 2}, 1, {.seed = seed});
    int num_uses = 0;
    // The second value: 5 % less, but every tenth use ten times as much.
    const auto cost = [&](int value) {
      return value == 1 ? 1.0 : ++num_uses % 10 == 0 ? 10.0 : 0.95;
    };
    num_changed += tune(tuned, cost).outcome == verdict::changed ? 1 : 0;
  }
  EXPECT_EQ(num_changed, 0);
}

TEST(Tuner, it_tells_its_verdict_and_tunes_again) {
  tuner<int> tuned("again", {1, 2}, 1);
  EXPECT_THAT(to_string(tuned.report()), testing::HasSubstr("tuning: 0 costs"));

  const tuner_report first = tune(tuned, [](int value) { return 10.0 / value; });
  EXPECT_EQ(first.outcome, verdict::changed);
  EXPECT_EQ(tuned.value(), 2);
  EXPECT_EQ(first.cost_before, 10.0);
  EXPECT_EQ(first.cost_best, 5.0);
  EXPECT_LT(first.p_value.value(), 0.025);
  EXPECT_THAT(to_string(first), testing::HasSubstr("changed"));
  tuned.note(1e9);
  EXPECT_EQ(tuned.value(), 2);
  EXPECT_EQ(tuned.report().num_costs, first.num_costs);

  tuned.restart();
  EXPECT_EQ(tune(tuned, [](int value) { return value; }).outcome, verdict::changed);
  EXPECT_EQ(tuned.value(), 1);
}

TEST(Tuner, costs_that_are_no_numbers_are_ignored) {
  tuner<int> tuned("ignoring", {1, 2}, 1);
  tuned.note(std::numeric_limits<double>::quiet_NaN());
  tuned.note(std::numeric_limits<double>::infinity());
  EXPECT_EQ(tuned.report().num_costs, 0U);
  EXPECT_THROW(
      {
        const auto use = tuned.measure();
        throw std::runtime_error("the use failed");
      },
      std::runtime_error);
  EXPECT_EQ(tuned.report().num_costs, 0U);
}

TEST(Tuner, wrong_arguments_are_refused) {
  EXPECT_THROW(tuner<int>("none", {}, 1), weft::error);
  EXPECT_THROW(tuner<int>("other", {1, 2}, 3), weft::error);
  EXPECT_THROW(tuner<int>("too few pairs to decide", {1, 2}, 1, {.num_pairs = 5}), weft::error);
  tuner_options options;
  options.num_pairs = 0;
  EXPECT_THROW(tuner<int>("pairs", {1, 2}, 1, options), weft::error);
  EXPECT_THROW(chunk_by_duration("none", 0ns), weft::error);
  EXPECT_THROW(chunk_by_duration("none", 1us, 0), weft::error);
}

TEST(Tuner, several_threads_measure_at_once) {
  tuner<int> tuned("shared", {1, 2, 3}, 1);
  std::atomic<int> num_uses{0};
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        while (tuned.report().outcome == verdict::tuning) {
          const auto use = tuned.measure();
          num_uses += use.value() > 0 ? 1 : 0;
        }
      });
    }
  }
  EXPECT_GE(num_uses.load(), 15);
}

/// Returns after this time on a simulated clock: a loop that gains nothing from a second worker, and
/// pays for it.
double memory_bound_loop_s(std::size_t num_workers, random& dice) {
  const double slower = num_workers == 1 ? 1.0 : 1.1;
  return slower * std::uniform_real_distribution<double>(1e-3, 1.1e-3)(dice);
}

TEST(TunedWorkers, a_loop_that_is_fastest_with_one_worker_gets_one) {
  weft::runtime runtime(weft::test::with_workers(2));
  weft::policies::tuned_workers tuned("loop", runtime);
  EXPECT_THAT(tuned.values(), testing::ElementsAre(1, 2));
  EXPECT_LE(tuned.value(), 2U);
  random dice(1);

  const tuner_report report =
      tune(tuned, [&](std::size_t num_workers) { return memory_bound_loop_s(num_workers, dice); });

  EXPECT_EQ(report.outcome, verdict::changed);
  EXPECT_EQ(tuned.value(), 1U);
}

TEST(TunedWorkers, workers_out_of_use_count) {
  weft::runtime home(weft::test::with_workers(4));
  weft::policies::workers_in_use(home).set(1);
  const weft::policies::tuned_workers tuned("throttled", home);

  EXPECT_EQ(tuned.values().back(), 4U);
}

TEST(TunedWorkers, many_workers_are_tried_in_steps) {
  weft::runtime runtime(weft::test::with_workers(7));
  EXPECT_THAT(weft::policies::tuned_workers("seven", runtime).values(),
              testing::ElementsAre(1, 2, 3, 4, 6, 7));
}

TEST(ChunkByDuration, a_chunk_takes_about_the_wanted_time) {
  chunk_by_duration chunk("grain", 100us, 1024);

  chunk.note(1'000'000, 10ms);  // 10 ns an element: a chunk of about 10000
  EXPECT_EQ(chunk.size(), 1024U);
  chunk.note(1'000'000, 10ms);
  EXPECT_EQ(chunk.size(), 8192U);
  chunk.note(1'000'000, 8ms, 2);  // within a factor of two
  chunk.note(1'000'000, 8ms, 2);
  EXPECT_EQ(chunk.size(), 8192U);
  chunk.note(10, 10ms);  // disturbed once
  chunk.note(1'000'000, 10ms);
  EXPECT_EQ(chunk.size(), 8192U);
  for (int i = 0; i < 2; ++i) {
    chunk.note(10, 10ms);  // an element takes longer than a chunk should
  }
  EXPECT_EQ(chunk.size(), 1U);
}

}  // namespace tuner_test
