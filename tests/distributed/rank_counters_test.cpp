// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of counters that are read from other ranks, with all ranks in one process. The ranks share
// the counters of this process; each reading has a baseline of its own.
#include "distributed/calls/rank_counters.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/error.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/registry.hpp"
#include "weft/counters/session.hpp"
#include "weft/distributed/collectives.hpp"
#include "weft/tasks/runtime.hpp"

#include "tests/distributed/ranks.hpp"

namespace rank_counters_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;
using weft::counters::session;

/// A job whose rank 0 reads the others' counters, and a counter of this process.
class RankCounters : public testing::Test {
 protected:
  explicit RankCounters(const weft::test::ranks_options& options =
                            {.size = 3, .longest_delay = std::chrono::microseconds(200)})
      : job_(options), others_(std::in_place, job_.engine(0)) {}

  ~RankCounters() override {
    others_.reset();
    job_.run([] {});  // waits for answers that came too late
  }

  std::atomic<std::int64_t> calls_{100};
  weft::counters::registration kept_ = weft::counters::register_counter(
      {.name = "/test/calls", .unit = "calls", .help = "Calls."}, &calls_);
  weft::test::ranks job_;
  std::optional<weft::distributed::detail::job_counters> others_;
};

}  // namespace

TEST_F(RankCounters, a_counter_is_read_by_its_locality) {
  session reading{"/test{locality#1/total}/calls"};
  calls_ += 5;

  const auto values = reading.evaluate().values;

  ASSERT_EQ(values.size(), 1);
  EXPECT_EQ(values[0].name, "/test{locality#1/total}/calls");
  EXPECT_EQ(values[0].unit, "calls");
  EXPECT_EQ(to_string(values[0]), "5 calls");
}

TEST_F(RankCounters, a_reset_lets_it_count_anew) {
  session reading{"/test{locality#1/total}/calls", "/test{locality#2/total}/calls"};
  for (int i = 1; i <= 20; ++i) {
    calls_ += i;
    const auto values = reading.evaluate(weft::counters::after_reading::reset);
    EXPECT_EQ(values.number_of("/test{locality#1/total}/calls"), i);
    EXPECT_EQ(values.number_of("/test{locality#2/total}/calls"), i);
  }
}

TEST_F(RankCounters, sessions_have_their_own_baselines) {
  session early{"/test{locality#1/total}/calls"};
  calls_ += 1;
  session late{"/test{locality#1/total}/calls"};
  calls_ += 2;

  EXPECT_EQ(late.evaluate().values[0].value.value, weft::counters::counter_value::number(2));
  EXPECT_EQ(early.evaluate().values[0].value.value, weft::counters::counter_value::number(3));
}

TEST_F(RankCounters, a_star_means_all_localities) {
  for (const char* pattern : {"/test{locality#*/total}/calls", "/test{*}/calls"}) {
    EXPECT_THAT(weft::counters::discover(pattern),
                ElementsAre("/test{locality#0/total}/calls",
                            "/test{locality#1/total}/calls",
                            "/test{locality#2/total}/calls"));
  }
}

TEST_F(RankCounters, a_name_without_locality_means_the_own_counter) {
  EXPECT_THAT(weft::counters::discover("/test/calls"),
              ElementsAre("/test{locality#0/total}/calls"));
}

TEST_F(RankCounters, numbers_are_computed_across_localities) {
  const std::string sum = "/arithmetics/add@/test{locality#*/total}/calls";
  const std::string ratio =
      "/arithmetics/divide@/test{locality#1/total}/calls,/test{locality#0/total}/calls";
  session reading(std::vector{sum, ratio});
  calls_ += 7;

  const auto values = reading.evaluate();

  EXPECT_EQ(values.number_of(sum), 21);
  EXPECT_EQ(values.number_of(ratio), 1);
}

TEST_F(RankCounters, statistics_sample_another_locality) {
  const std::string name = "/statistics{/test{locality#2/total}/calls}/max@1";
  session reading(std::vector{name});
  calls_ += 4;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  double largest = 0;
  while (largest != 4 && std::chrono::steady_clock::now() < end) {
    largest = reading.evaluate().number_of(name);
  }
  EXPECT_EQ(largest, 4);
}

TEST_F(RankCounters, quiescence_does_not_wait_for_readings) {
  std::atomic<bool> is_done = false;
  std::jthread reader([&] {
    session reading{"/test{locality#1/total}/calls"};
    while (!is_done) {
      static_cast<void>(reading.evaluate());
    }
  });

  job_.run([&] {
    weft::distributed::quiescence().get();
    is_done = true;
  });
  EXPECT_TRUE(is_done);
}

TEST_F(RankCounters, mistakes_are_explained) {
  EXPECT_THAT([] { session{"/test{locality#7/total}/calls"}; },
              ThrowsMessage<weft::error>(HasSubstr("the job has 3 ranks, 0 to 2")));
  EXPECT_THAT([] { session{"/test{locality#1/total}/cals"}; },
              ThrowsMessage<weft::error>(HasSubstr("did you mean /test/calls")));
}

TEST_F(RankCounters, busy_workers_do_not_delay_an_answer) {
  std::atomic<bool> is_done = false;
  std::atomic<int> num_busy = 0;
  std::vector<std::jthread> callers;
  callers.reserve(2);
  for (int i = 0; i < 2; ++i) {
    callers.emplace_back([&] {
      job_.runtime_of(1).run([&] {
        ++num_busy;
        is_done.wait(false);
      });
    });
  }
  while (num_busy != 2) {
    std::this_thread::yield();
  }

  session reading{"/test{locality#1/total}/calls"};
  calls_ += 3;
  const double read = reading.evaluate().number_of("/test{locality#1/total}/calls");
  is_done = true;
  is_done.notify_all();

  EXPECT_EQ(read, 3);
}

TEST_F(RankCounters, a_locality_that_does_not_answer_has_no_value) {
  std::atomic<bool> is_waiting = false;
  std::atomic<bool> is_done = false;
  const auto kept = weft::counters::register_counter(
      {.name = "/test/stuck", .unit = "", .help = "Waits."}, [&]() -> std::int64_t {
        while (is_waiting && !is_done) {
          std::this_thread::yield();
        }
        return 1;
      });
  session reading{"/test{locality#1/total}/stuck"};
  static_cast<void>(reading.evaluate());
  is_waiting = true;

  const auto value = reading.evaluate().values[0].value;
  is_done = true;

  EXPECT_EQ(value.value, std::nullopt);
  EXPECT_EQ(value.reason, "rank 1 has not answered within 2 s");
}

TEST_F(RankCounters, after_the_job_there_is_no_value) {
  session reading{"/test{locality#1/total}/calls"};
  others_.reset();

  const auto value = reading.evaluate().values[0].value;

  EXPECT_EQ(value.value, std::nullopt);
  EXPECT_EQ(value.reason, "the job has ended, so no other rank can be asked");
  EXPECT_THAT([] { session{"/test{locality#1/total}/calls"}; },
              ThrowsMessage<weft::error>(HasSubstr("has no instance {locality#1/total}")));
}

}  // namespace rank_counters_test
