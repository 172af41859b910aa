// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem health against the published results, and its parts against hand values.
#include "lab/inncabs/health/health.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "inncabs/inline_runtime.hpp"
#include "lab/inncabs/health/country.hpp"
#include "lab/inncabs/health/health_futures.hpp"
#include "lab/inncabs/health/health_groups.hpp"
#include "lab/inncabs/input_class.hpp"

namespace weft::lab::inncabs::health {
namespace health_test {

using testing::inline_runtime;

input tiny() { return make_input(input_class::tiny, 1); }

/// A country that refers often: half of those assessed go to the parent's hospital.
input busy() {
  return {.levels = 4,
          .cities = 3,
          .num_steps = 100,
          .sick_probability = .1F,
          .convalescence_probability = .9F,
          .reallocation_probability = .6F};
}

TEST(HealthOracle, finds_the_numbers_published_with_the_test_input) {
  const result published{.population = 7280,
                         .hospitals = 343,
                         .personnel = 728,
                         .check_ins = 5531,
                         .in_village = 7160,
                         .waiting = 80,
                         .in_assessment = 26,
                         .inside = 14};

  EXPECT_EQ(run_serial(tiny()), published);
}

TEST(HealthOracle, finds_the_numbers_published_with_the_small_input) {
  const input from = make_input(input_class::small, 1);

  EXPECT_EQ(mismatch(from, run_serial(from)), "");
}

TEST(HealthOracle, loses_no_patient_when_many_are_referred) {
  const result found = run_serial(busy());

  EXPECT_EQ(found.population, 10U * (27 * 2 + 9 * 4 + 3 * 8 + 16));
  EXPECT_EQ(found.personnel, 27U * 2 + 9 * 4 + 3 * 8 + 16);
}

TEST(HealthCheck, names_the_number_that_is_wrong) {
  result found = run_serial(tiny());
  ++found.check_ins;

  EXPECT_EQ(mismatch(tiny(), found), "the number of check-ins is 5532, expected 5531");
}

TEST(HealthCheck, rejects_a_wrong_value_of_every_number) {
  for (auto member : {&result::population,
                      &result::hospitals,
                      &result::personnel,
                      &result::check_ins,
                      &result::in_village,
                      &result::waiting,
                      &result::in_assessment,
                      &result::inside}) {
    result found = tiny().expected;
    found.*member += 1;
    EXPECT_NE(mismatch(tiny(), found), "");
  }
}

TEST(HealthCheck, has_as_many_tasks_as_village_steps_below_the_capital) {
  EXPECT_EQ(num_tasks(tiny()), 342U * 365);
  EXPECT_EQ(num_tasks(make_input(input_class::paper, 1)), 17'515'620U);
}

TEST(Country, numbers_children_after_their_parents) {
  const country where(busy());

  EXPECT_EQ(where.num_villages(), 40U);
  EXPECT_EQ(where.num_parents(), 13U);
  for (std::size_t village = 0; village < where.num_villages(); ++village) {
    for (const std::size_t child : where.children(village)) {
      EXPECT_EQ(where.parent(child), village);
      EXPECT_GT(child, village);
    }
  }
}

/// Counts after each of the steps that follow the arrival of these patients in a hospital of two.
std::vector<result> history(const std::vector<patient>& arrivals) {
  country where({.levels = 1,
                 .cities = 1,
                 .patients_per_personnel = 0,
                 .sick_probability = .3F,
                 .convalescence_probability = .5F});
  where.take_referred(country::capital, arrivals);
  std::vector<result> counts;
  for (int i = 0; i < 40; ++i) {
    where.admit(country::capital);
    counts.push_back(where.count());
    EXPECT_TRUE(where.treat(country::capital).empty());
  }
  return counts;
}

TEST(Country, admits_the_referred_in_order_of_their_ids) {
  const patient first{.id = 1, .random_state = 1};
  const patient second{.id = 2, .random_state = 23};
  const patient third{.id = 3, .random_state = 456};

  const auto expected = history({first, second, third});

  EXPECT_EQ(history({third, second, first}), expected);
  EXPECT_EQ(history({second, third, first}), expected);
}

TEST(Country, lets_the_ids_decide_who_waits) {
  const patient first{.id = 1, .random_state = 1};
  const patient third{.id = 3, .random_state = 456};
  const patient second{.id = 2, .random_state = 23};
  const patient exchanged_first{.id = 3, .random_state = 1};
  const patient exchanged_third{.id = 1, .random_state = 456};

  EXPECT_NE(history({first, second, third}), history({exchanged_first, second, exchanged_third}));
}

TEST(NextRandom, gives_numbers_between_0_and_1_from_every_seed) {
  for (std::uint32_t seed : {0U, 1U, 123459876U, 2147483647U, 4294967295U}) {
    for (int i = 0; i < 1000; ++i) {
      const float number = next_random(seed);
      ASSERT_GE(number, 0.0F);
      ASSERT_LE(number, 1.0F);
    }
  }
}

TEST(HealthFutures, equals_the_oracle) {
  const auto at_once = inline_runtime::launch::at_once;

  EXPECT_EQ(mismatch(tiny(), run_futures<inline_runtime>(tiny(), at_once)), "");
  EXPECT_EQ(run_futures<inline_runtime>(busy(), at_once), run_serial(busy()));
}

TEST(HealthGroups, equals_the_oracle) {
  EXPECT_EQ(mismatch(tiny(), run_groups<inline_runtime>(tiny())), "");
  EXPECT_EQ(run_groups<inline_runtime>(busy()), run_serial(busy()));
}

}  // namespace health_test
}  // namespace weft::lab::inncabs::health
