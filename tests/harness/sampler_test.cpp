// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calibration, warm-up and stop rules, on a clock that only the tests move.
#include "lab/harness/sampler.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/scripted_experiment.hpp"
#include "lab/harness/clock.hpp"
#include "lab/harness/experiment.hpp"

namespace weft::lab {
namespace sampler_test {

using ::testing::AllOf;
using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::Ge;
using ::testing::Le;
using testing::scripted_clock;
using testing::scripted_experiment;

constexpr timer_properties fast_timer{.cost_s = 20e-9, .resolution_s = 1e-9};

struct bench {
  scripted_clock clock;
  scripted_experiment subject{clock};
  sampler with{clock, fast_timer};
  sampling_limits limits;
};

TEST(Sampler, a_batch_lasts_at_least_100_timer_costs) {
  bench on;
  on.limits.sample_time_s = 0;
  on.subject.call_ns = [](std::size_t) { return 3; };

  const schedule plan = on.with.warm_up(on.subject, on.limits);

  EXPECT_GE(static_cast<double>(plan.calls_per_batch) * 3e-9, 100 * fast_timer.cost_s);
  EXPECT_LE(static_cast<double>(plan.calls_per_batch) * 3e-9, 1000 * fast_timer.cost_s);
  EXPECT_EQ(plan.num_batches, 1U);
}

TEST(Sampler, a_coarse_clock_needs_longer_batches) {
  bench on;
  on.limits.sample_time_s = 0;
  sampler coarse(on.clock, {.cost_s = 20e-9, .resolution_s = 1e-6});

  const schedule plan = coarse.warm_up(on.subject, on.limits);

  EXPECT_GE(plan.calls_per_batch, 100U);  // of 1 us each
}

TEST(Sampler, a_batch_never_exceeds_the_room_of_the_experiment) {
  bench on;
  on.subject.most_calls = 4;

  const schedule plan = on.with.warm_up(on.subject, on.limits);

  EXPECT_EQ(plan.calls_per_batch, 4U);
  EXPECT_EQ(plan.calls_per_sample(), 200U);  // 50 batches of 4 us make a sample of 200 us
}

TEST(Sampler, an_interrupted_batch_does_not_end_the_calibration) {
  bench on;
  on.subject.call_ns = [](std::size_t call) { return call == 1 ? 500'000 : 1000; };

  const schedule plan = on.with.warm_up(on.subject, on.limits);

  EXPECT_GE(plan.calls_per_batch, 200U);
}

TEST(Sampler, a_batch_interrupted_for_several_time_slices_does_not_end_the_calibration) {
  bench on;
  on.subject.call_ns = [](std::size_t call) { return call < 3 ? 13'000'000 : 1000; };

  const schedule plan = on.with.warm_up(on.subject, on.limits);

  EXPECT_GE(plan.calls_per_batch, 200U);
}

TEST(Sampler, a_calibration_interrupted_all_the_time_is_made_good_while_warming_up) {
  bench on;
  on.subject.call_ns = [](std::size_t call) { return call < 4 ? 13'000'000 : 1000; };

  const schedule plan = on.with.warm_up(on.subject, on.limits);

  EXPECT_GE(plan.calls_per_batch, 200U);
  EXPECT_DOUBLE_EQ(plan.call_s, 1e-6);
}

/// How long a call takes if one call of the first batch of ten, calls 2 to 11, and of each of its
/// two repetitions is interrupted.
std::int64_t interrupts_batches_of_ten(std::size_t call) {
  return call == 2 || call == 12 || call == 22 ? 13'000'000 : 1000;
}

TEST(Sampler, a_longer_batch_interrupted_all_the_time_grows_to_the_aim_at_once) {
  bench on;
  on.subject.call_ns = interrupts_batches_of_ten;

  const schedule plan = on.with.warm_up(on.subject, on.limits);

  EXPECT_THAT(plan.calls_per_batch, AllOf(Ge(200U), Le(201U)));  // of 1 us each
  EXPECT_EQ(plan.num_batches, 1U);
}

TEST(Sampler, a_batch_that_cannot_grow_is_repeated_after_interruptions) {
  bench on;
  on.subject.most_calls = 50;
  on.subject.call_ns = interrupts_batches_of_ten;

  const schedule plan = on.with.warm_up(on.subject, on.limits);

  EXPECT_EQ(plan.calls_per_batch, 50U);
  EXPECT_THAT(plan.num_batches, AllOf(Ge(4U), Le(5U)));
}

TEST(Sampler, a_call_longer_than_the_warm_up_is_not_repeated) {
  bench on;
  on.subject.call_ns = [](std::size_t) { return 2'000'000'000; };

  const schedule plan = on.with.warm_up(on.subject, on.limits);

  EXPECT_EQ(on.subject.num_calls, 1U);
  EXPECT_EQ(plan.calls_per_sample(), 1U);
  EXPECT_DOUBLE_EQ(plan.first_call_s, 2.0);
}

TEST(Sampler, the_first_cold_call_is_kept_apart) {
  bench on;
  on.subject.call_ns = [](std::size_t call) { return call == 0 ? 90'000'000 : 1'000'000; };

  const schedule plan = on.with.warm_up(on.subject, on.limits);
  const samples taken = on.with.take(on.subject, plan, on.limits, nullptr);

  EXPECT_DOUBLE_EQ(plan.first_call_s, 0.09);
  EXPECT_THAT(taken.per_call_s, Each(DoubleNear(1e-3, 1e-12)));
}

TEST(Sampler, warm_up_goes_on_until_calls_stop_getting_faster) {
  bench on;
  on.subject.call_ns = [](std::size_t call) {
    return call < 20 ? 3'000'000 - 100'000 * static_cast<std::int64_t>(call) : 1'000'000;
  };

  const schedule plan = on.with.warm_up(on.subject, on.limits);
  const samples taken = on.with.take(on.subject, plan, on.limits, nullptr);

  EXPECT_GE(plan.warm_up_calls, 20U);
  EXPECT_THAT(taken.per_call_s, Each(DoubleNear(1e-3, 1e-12)));
}

TEST(Sampler, warm_up_of_calls_that_never_settle_is_bounded_in_time) {
  bench on;
  on.subject.call_ns = [](std::size_t call) {
    return 1'000'000 * static_cast<std::int64_t>(call + 1);
  };
  const std::int64_t begin_ns = on.clock.now_ns();

  on.with.warm_up(on.subject, on.limits);

  EXPECT_LT(seconds(on.clock.now_ns() - begin_ns), on.limits.warm_up_limit_s + 0.05);
}

TEST(Sampler, preparation_takes_no_part_in_a_sample) {
  bench on;
  on.subject.prepare_ns = 50'000;
  on.subject.most_calls = 10;

  const schedule plan = on.with.warm_up(on.subject, on.limits);
  const samples taken = on.with.take(on.subject, plan, on.limits, nullptr);

  EXPECT_THAT(taken.per_call_s, Each(DoubleNear(1e-6, 1e-15)));
  EXPECT_TRUE(on.subject.is_always_prepared);
}

class slow_observer final : public batch_observer {
 public:
  explicit slow_observer(scripted_clock& clock) : clock_(clock) {}
  void before_batch() override {
    clock_.advance_ns(30'000);
    ++num_before;
  }
  void after_batch() override {
    clock_.advance_ns(30'000);
    ++num_after;
  }
  bool after_sample() override {
    clock_.advance_ns(30'000);
    ++num_samples;
    return true;
  }
  std::size_t num_before = 0;
  std::size_t num_after = 0;
  std::size_t num_samples = 0;

 private:
  scripted_clock& clock_;
};

TEST(Sampler, counters_take_no_part_in_a_sample_and_see_only_timed_calls) {
  bench on;
  slow_observer observer(on.clock);

  const schedule plan = on.with.warm_up(on.subject, on.limits);
  const samples taken = on.with.take(on.subject, plan, on.limits, &observer);

  EXPECT_THAT(taken.per_call_s, Each(DoubleNear(1e-6, 1e-15)));
  EXPECT_EQ(observer.num_before, taken.per_call_s.size() * plan.num_batches);
  EXPECT_EQ(observer.num_after, observer.num_before);
  EXPECT_EQ(observer.num_samples, taken.per_call_s.size());
}

TEST(Sampler, every_raw_sample_is_kept_in_order) {
  bench on;
  schedule plan;
  on.subject.call_ns = [](std::size_t call) {
    return 1'000'000 * (1 + static_cast<std::int64_t>(call));
  };
  on.limits = {.min_samples = 4, .max_samples = 4};

  const samples taken = on.with.take(on.subject, plan, on.limits, nullptr);

  EXPECT_THAT(taken.per_call_s,
              ::testing::ElementsAre(DoubleNear(1e-3, 1e-12),
                                     DoubleNear(2e-3, 1e-12),
                                     DoubleNear(3e-3, 1e-12),
                                     DoubleNear(4e-3, 1e-12)));
  EXPECT_NEAR(taken.timed_s, 0.01, 1e-12);
  EXPECT_EQ(taken.num_calls, 4U);
}

TEST(StopRule, both_minima_must_be_met) {
  const sampling_limits limits = limits_of(cell{});

  EXPECT_FALSE(is_enough(9, 0.1, limits));
  EXPECT_FALSE(is_enough(10, 0.019, limits));
  EXPECT_TRUE(is_enough(10, 0.02, limits));
}

TEST(StopRule, max_samples_ends_short_calls) {
  EXPECT_TRUE(is_enough(1000, 1e-6, limits_of(cell{})));
  EXPECT_FALSE(is_enough(999, 1e-6, limits_of(cell{})));
}

TEST(StopRule, very_long_calls_stop_after_three) {
  const sampling_limits limits = limits_of(cell{});

  EXPECT_FALSE(is_enough(2, 60, limits));
  EXPECT_TRUE(is_enough(3, 5, limits));
  EXPECT_FALSE(is_enough(3, 4.9, limits));
}

TEST(StopRule, the_paper_protocol_takes_five_seconds) {
  cell paper;
  paper.protocol = "paper";
  const sampling_limits limits = limits_of(paper);

  EXPECT_FALSE(is_enough(100'000, 4.99, limits));
  EXPECT_TRUE(is_enough(1000, 5.0, limits));
  EXPECT_FALSE(is_enough(2, 5.0, limits));
}

TEST(StopRule, the_paper_protocol_keeps_the_number_of_samples_bounded) {
  bench on;
  cell paper;
  paper.protocol = "paper";
  on.subject.most_calls = 8;  // as a problem that must restore its input
  on.limits = limits_of(paper);

  const schedule plan = on.with.warm_up(on.subject, on.limits);
  const samples taken = on.with.take(on.subject, plan, on.limits, nullptr);

  EXPECT_LE(taken.per_call_s.size(), 1001U);
  EXPECT_GE(taken.timed_s, 5.0);
}

TEST(Statistics, median_of_odd_and_even_counts) {
  EXPECT_DOUBLE_EQ(median(std::array{5.0, 1.0, 3.0}), 3.0);
  EXPECT_DOUBLE_EQ(median(std::array{4.0, 1.0, 3.0, 2.0}), 2.5);
  EXPECT_DOUBLE_EQ(median(std::array{7.0}), 7.0);
}

TEST(Statistics, mean_follows_an_outlier) {
  EXPECT_DOUBLE_EQ(mean(std::array{1.0, 1.0, 10.0}), 4.0);
}

TEST(Timer, cost_and_resolution_are_measured) {
  scripted_clock clock;
  clock.reading_ns = 25;

  const timer_properties found = measure_timer(clock);

  EXPECT_NEAR(found.cost_s, 25e-9, 1e-12);
  EXPECT_LE(found.resolution_s, 25e-9);
}

TEST(Timer, the_real_clock_never_goes_back_and_costs_something) {
  monotonic_clock clock;
  const std::int64_t first_ns = clock.now_ns();

  const timer_properties found = measure_timer(clock);

  EXPECT_GE(clock.now_ns(), first_ns);
  EXPECT_GT(found.cost_s, 0);
  EXPECT_GT(found.resolution_s, 0);
}

}  // namespace sampler_test
}  // namespace weft::lab
