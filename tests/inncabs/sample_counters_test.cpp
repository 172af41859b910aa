// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What weft's runtime that is linked in says of every sample of a problem.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/harness/clock.hpp"
#include "lab/harness/experiment.hpp"
#include "lab/harness/measure.hpp"
#include "lab/harness/records.hpp"
#include "lab/inncabs/backend.hpp"
#include "lab/inncabs/suite.hpp"

namespace weft::lab::inncabs {
namespace sample_counters_test {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::SizeIs;

constexpr std::size_t num_samples = 3;

measurement measure_now(const std::string& problem, int threads) {
  const inncabs_suite suite(linked_backend());
  cell what;
  what.problem = problem;
  what.size = 1;
  what.threads = threads;
  what.min_samples = num_samples;
  what.max_samples = num_samples;
  what.probe = "no";
  monotonic_clock clock;
  instruments with{.clock = clock, .timer = measure_timer(clock), .counters = {}};
  const outcome answer = measure(what, suite, threads, with);
  EXPECT_EQ(answer.how, status::ok) << problem << ": " << answer.message;
  return answer.measured.value_or(measurement{});
}

/// Measures each problem once for all tests.
const measurement& measured(const std::string& problem, int threads) {
  static std::map<std::pair<std::string, int>, measurement> known;
  const auto [found, is_new] = known.try_emplace({problem, threads});
  if (is_new) {
    found->second = measure_now(problem, threads);
  }
  return found->second;
}

std::vector<counter_value> counters_of_samples(const measurement& of) {
  std::vector<counter_value> found;
  std::ranges::copy_if(of.counters, std::back_inserter(found), [](const counter_value& each) {
    return each.per == "sample";
  });
  return found;
}

counter_value named(const measurement& of, std::string_view name) {
  const auto found = std::ranges::find(of.counters, name, &counter_value::name);
  if (found == of.counters.end()) {
    ADD_FAILURE() << "there is no counter " << name;
    return {};
  }
  return *found;
}

bool has_futures() { return linked_backend().name == "weft_future"; }

TEST(SampleCounters, are_those_that_the_records_promise) {
  std::vector<std::string> found;
  for (const counter_value& each : counters_of_samples(measured("strassen", 1))) {
    found.push_back(each.name + " in " + each.unit);
  }

  EXPECT_THAT(found,
              ElementsAre("tasks in tasks",
                          "task_time in s",
                          "task_time_hpx in s",
                          "scheduling_time in s",
                          "searching_time in s",
                          "parked_time in s",
                          "steals in steals",
                          "suspensions in suspensions",
                          "offcore_bytes in B"));
}

TEST(SampleCounters, have_a_number_per_sample_or_a_reason) {
  for (const std::string& problem : inncabs_suite(linked_backend()).problems()) {
    for (const counter_value& each : counters_of_samples(measured(problem, 2))) {
      SCOPED_TRACE(problem + ": " + each.name);
      if (each.value) {
        EXPECT_THAT(each.per_sample, SizeIs(num_samples));
        EXPECT_THAT(each.per_sample, Each(Ge(0)));
      } else {
        EXPECT_THAT(each.per_sample, SizeIs(0));
        EXPECT_NE(each.reason, "");
      }
    }
  }
}

/// The call itself is a task; in these problems one of those that they count.
bool counts_the_call(std::string_view problem) {
  constexpr std::array<std::string_view, 3> problems{"fib", "nqueens", "uts"};
  return std::ranges::find(problems, problem) != problems.end();
}

TEST(SampleCounters, count_as_many_tasks_as_the_problem_has) {
  for (const char* problem :
       {"alignment", "health", "nqueens", "pyramids", "sparselu", "strassen", "uts"}) {
    for (const int threads : {1, 2}) {
      const measurement& of = measured(problem, threads);

      const auto expected =
          static_cast<double>(of.num_tasks.value() + (counts_the_call(problem) ? 0 : 1));
      EXPECT_THAT(named(of, "tasks").per_sample, Each(expected)) << problem;
    }
  }
}

TEST(SampleCounters, count_a_fork_join_as_one_task) {
  const measurement& of = measured("fib", 2);

  const std::uint64_t num_calls = of.num_tasks.value();
  const std::uint64_t num_tasks = has_futures() ? num_calls : 1 + (num_calls - 1) / 2;
  EXPECT_THAT(named(of, "tasks").per_sample, Each(static_cast<double>(num_tasks)));
}

TEST(SampleCounters, split_the_time_of_the_workers) {
  constexpr int threads = 2;
  const measurement& of = measured("round", threads);

  const counter_value in_tasks = named(of, "task_time");
  const counter_value outside = named(of, "scheduling_time");
  ASSERT_THAT(in_tasks.per_sample, SizeIs(num_samples)) << in_tasks.reason;
  EXPECT_EQ(named(of, "task_time_hpx").per_sample, in_tasks.per_sample);
  for (std::size_t i = 0; i < num_samples; ++i) {
    const double all_s = in_tasks.per_sample[i] + outside.per_sample[i];
    const double sample_s = of.taken.per_call_s[i];
    EXPECT_GE(all_s, threads * sample_s * 0.999) << "two clocks";
    EXPECT_LE(all_s, threads * (sample_s + 1)) << "reading takes its time, and that of others";
    EXPECT_GE(in_tasks.per_sample[i], 8 * 4e-3 * 0.9) << "eight philosophers eat for 4 ms each";
    EXPECT_LE(named(of, "searching_time").per_sample[i] + named(of, "parked_time").per_sample[i],
              outside.per_sample[i] + 2e-9)
        << "all are rounded to ns";
  }
}

}  // namespace sample_counters_test
}  // namespace weft::lab::inncabs
