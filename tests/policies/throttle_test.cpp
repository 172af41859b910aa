// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Throttles: their decisions for given loads, and a runtime with nothing to do.
#include "weft/policies/throttle.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/error.hpp"
#include "weft/counters/registry.hpp"
#include "weft/policies/policy.hpp"
#include "weft/tasks/runtime.hpp"

#include "policies/throttle_logic.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/tasks/with_workers.hpp"

namespace throttle_test {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;
using weft::policies::policy;
using weft::policies::throttle_idle;
using weft::policies::throttle_power;
using weft::policies::detail::idle_logic;
using weft::policies::detail::period_load;
using weft::policies::detail::power_logic;
using weft::policies::detail::worker_range;
using weft::test::comes_true;
using weft::test::with_workers;

/// Returns the numbers of workers in use after each period of a load.
std::vector<int> run(idle_logic& logic,
                     worker_range workers,
                     const std::vector<period_load>& loads) {
  std::vector<int> numbers;
  for (const period_load& load : loads) {
    workers.now = logic.next(workers, load);
    numbers.push_back(workers.now);
  }
  return numbers;
}

constexpr worker_range four{.now = 4, .least = 1, .most = 4};
constexpr period_load idle{.num_busy = 0.1};

TEST(IdleLogic, workers_leave_one_by_one_and_return_at_once) {
  idle_logic logic(2, 0.5);
  EXPECT_THAT(run(logic, four, std::vector<period_load>(8, idle)),
              ElementsAre(4, 3, 3, 2, 2, 1, 1, 1));
  EXPECT_THAT(run(logic, {.now = 1, .least = 1, .most = 4}, {{.num_busy = 0.5, .num_queued = 3}}),
              ElementsAre(4));
  EXPECT_THAT(run(logic, {.now = 2, .least = 1, .most = 4}, {{.num_busy = 1.9}}), ElementsAre(4));
}

TEST(IdleLogic, a_busy_period_or_an_unknown_one_starts_the_count_again) {
  idle_logic logic(3, 0.5);
  EXPECT_THAT(run(logic, four, {idle, idle, {.num_busy = 3.9}, idle, idle}),
              ElementsAre(4, 4, 4, 4, 4));
  logic.skip();
  EXPECT_THAT(run(logic, four, {idle, idle, idle}), ElementsAre(4, 4, 3));
}

TEST(IdleLogic, a_worker_that_the_load_needs_stays) {
  idle_logic logic(1, 0.5);
  // One task all the time: two workers keep head room, and the number settles.
  const std::vector<int> numbers = run(logic, four, std::vector<period_load>(50, {.num_busy = 1}));
  EXPECT_EQ(numbers.back(), 2);
  EXPECT_TRUE(std::ranges::is_sorted(numbers, std::greater()));
}

/// A load whose queue is never empty, though the workers idle: each return of workers is in vain.
TEST(IdleLogic, returns_in_vain_become_rare) {
  idle_logic logic(1, 0.5);
  worker_range workers = four;
  std::vector<int> times_of_raise;
  for (int i = 0; i < 1000; ++i) {
    const period_load load{.num_busy = 0.1, .num_queued = workers.now == 1 ? 1.0 : 0.0};
    const int next = logic.next(workers, load);
    if (next > workers.now) {
      times_of_raise.push_back(i);
    }
    workers.now = next;
  }
  EXPECT_LT(times_of_raise.size(), 20U);
  EXPECT_GE(times_of_raise.size(), 5U);
}

TEST(IdleLogic, bursts_get_all_workers_each_time) {
  idle_logic logic(3, 0.5);
  worker_range workers = four;
  int num_served = 0;
  constexpr int num_bursts = 50;
  for (int burst = 0; burst < num_bursts; ++burst) {
    for (int period = 0; period < 18; ++period) {
      workers.now = logic.next(workers, idle);
    }
    EXPECT_EQ(workers.now, 1);
    // The load of four workers for two periods, as far as those in use take it.
    workers.now = logic.next(workers, {.num_busy = 1.0, .num_queued = 9});
    num_served += workers.now == 4 ? 1 : 0;
    workers.now = logic.next(workers, {.num_busy = 1.0 * workers.now, .num_queued = 5});
  }
  EXPECT_EQ(num_served, num_bursts);
}

TEST(IdleLogic, a_step_of_the_load_settles_within_ten_periods) {
  idle_logic logic(2, 0.5);
  worker_range workers{.now = 4, .least = 1, .most = 4};
  std::vector<int> numbers;
  for (int i = 0; i < 40; ++i) {
    const double wanted = i < 20 ? 0.2 : 4;  // workers that have work
    workers.now = logic.next(workers, {.num_busy = std::min<double>(wanted, workers.now)});
    numbers.push_back(workers.now);
  }
  EXPECT_THAT(std::vector<int>(numbers.begin() + 10, numbers.begin() + 20), testing::Each(1));
  EXPECT_THAT(std::vector<int>(numbers.begin() + 21, numbers.end()), testing::Each(4));
}

TEST(PowerLogic, power_above_the_limit_takes_workers_out_of_use) {
  power_logic logic(2, 100);
  worker_range workers = four;
  std::vector<int> numbers;
  for (int i = 0; i < 12; ++i) {
    workers.now = logic.next(workers, 40.0 * workers.now);  // two workers need 80 W
    numbers.push_back(workers.now);
  }
  EXPECT_THAT(numbers, ElementsAre(3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2));
  EXPECT_EQ(logic.next({.now = 1, .least = 1, .most = 4}, 500), 1);
}

TEST(PowerLogic, workers_return_when_there_is_room) {
  power_logic logic(2, 100);
  worker_range workers{.now = 1, .least = 1, .most = 4};
  std::vector<int> numbers;
  for (int i = 0; i < 8; ++i) {
    workers.now = logic.next(workers, 20.0 * workers.now);
    numbers.push_back(workers.now);
  }
  EXPECT_THAT(numbers, ElementsAre(1, 2, 2, 3, 3, 4, 4, 4));
}

TEST(ThrottleIdle, idle_workers_are_taken_out_of_use) {
  weft::runtime runtime(with_workers(3));
  {
    const policy throttle = throttle_idle(runtime, {.period = 2ms, .num_periods = 2});
    EXPECT_TRUE(comes_true([&] { return runtime.num_workers() == 1; }));
    EXPECT_TRUE(throttle.is_running());
  }
  EXPECT_EQ(runtime.num_workers(), 3);
}

TEST(ThrottleIdle, work_brings_the_workers_back) {
  weft::runtime runtime(with_workers(2));
  const policy throttle = throttle_idle(runtime, {.period = 2ms, .num_periods = 1});
  ASSERT_TRUE(comes_true([&] { return runtime.num_workers() == 1; }));
  runtime.run([&] { EXPECT_TRUE(comes_true([&] { return runtime.num_workers() == 2; })); });
}

TEST(ThrottleIdle, the_runtime_may_end_first) {
  auto runtime = std::make_unique<weft::runtime>(with_workers(2));
  const policy throttle = throttle_idle(*runtime, {.period = 1ms});
  runtime.reset();
  EXPECT_TRUE(throttle.is_running());
}

TEST(ThrottleIdle, options_out_of_range_are_refused) {
  weft::runtime runtime(with_workers(2));
  EXPECT_THROW(static_cast<void>(throttle_idle(runtime, {.idle_above = 2})), weft::error);
  EXPECT_THROW(static_cast<void>(throttle_idle(runtime, {.num_periods = 0})), weft::error);
  EXPECT_THROW(static_cast<void>(throttle_idle(runtime, {.least_workers = 3})), weft::error);
}

TEST(ThrottlePower, an_energy_counter_of_the_program_is_enough) {
  std::atomic<double> joules{0};
  const auto meter = weft::counters::register_counter(
      {.name = "/throttle-test/energy", .unit = "J", .help = "Energy."}, [&] {
        return joules.fetch_add(1000);  // far above any limit, at each reading
      });
  weft::runtime runtime(with_workers(3));
  const policy throttle =
      throttle_power(runtime, 10, {.period = 1ms, .counter = "/throttle-test/energy"});
  EXPECT_TRUE(comes_true([&] { return runtime.num_workers() == 1; }));
}

TEST(ThrottlePower, a_machine_without_meter_is_an_error_that_says_why) {
  weft::runtime runtime(with_workers(2));
  EXPECT_THAT([&] { static_cast<void>(throttle_power(runtime, 10, {.counter = "/energy/none"})); },
              ThrowsMessage<weft::error>(HasSubstr("throttle_power needs")));
  EXPECT_THAT(
      [&] { static_cast<void>(throttle_power(runtime, 10, {.counter = "/runtime/uptime"})); },
      ThrowsMessage<weft::error>(HasSubstr("energy in J")));
  EXPECT_THROW(static_cast<void>(throttle_power(runtime, 0)), weft::error);
}

}  // namespace throttle_test
