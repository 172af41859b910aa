// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about statistics of counters over time.
#include "counters/families/statistics.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "weft/base/error.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"
#include "weft/counters/session.hpp"

#include "counters/fake_family.hpp"
#include "counters/families/arithmetics.hpp"
#include "counters/families/builtin.hpp"
#include "counters/families/exact_number.hpp"
#include "counters/families/sample_store.hpp"

namespace statistics_test {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::ThrowsMessage;
using weft::counters::counter;
using weft::counters::counter_kind;
using weft::counters::counter_value;
using weft::counters::evaluation;
using weft::counters::parse_counter_name;
using weft::counters::register_counter;
using weft::counters::registration;
using weft::counters::registry;
using weft::counters::sampling;
using weft::counters::session;
using weft::counters::detail::exact_number;
using weft::counters::detail::sample_store;
using weft::counters::detail::statistic;
using weft_test::fake_family;

/// A registry with statistics, arithmetic, a total /a/x in ns and a gauge /a/g.
class Statistics : public testing::Test {
 protected:
  Statistics() {
    using namespace weft::counters::detail;
    add_families(counters, kept, arithmetic_families(counters));
    add_families(counters, kept, statistics_families(counters));
    g.kind = counter_kind::gauge;
    kept.push_back(counters.add(g.family()));
    kept.push_back(counters.add(x.family()));
  }

  /// Makes a counter and resets it at the time 0 of this test.
  std::unique_ptr<counter> start(std::string_view name) {
    auto made = counters.make(parse_counter_name(name));
    start_time = std::chrono::steady_clock::now();
    evaluation now(start_time);
    made->reset(now);
    return made;
  }
  /// Lets a counter sample at `at` what is `number` by then.
  void sample(counter& made, milliseconds at, std::int64_t number) {
    x.numbers[0] = number;
    g.numbers[0] = number;
    evaluation now(start_time + at);
    made.sample(now);
  }
  static counter_value value(counter& made) {
    evaluation now;
    return made.evaluate(now);
  }
  static exact_number number(counter& made) {
    const counter_value read = value(made);
    if (!read.value) {
      throw weft::error(read.reason);
    }
    const auto* whole = std::get_if<std::int64_t>(&*read.value);
    return whole != nullptr ? exact_number(*whole) : std::get<double>(*read.value);
  }
  /// What `name` gives for 2, 4, 4, 4, 5, 5, 7, 9 once a second, first at the start.
  exact_number statistic_of_eight(std::string_view name) {
    g.numbers[0] = 2;
    const auto made = start(name);
    int second = 0;
    for (const int each : {4, 4, 4, 5, 5, 7, 9}) {
      sample(*made, milliseconds(++second * 1000), each);
    }
    return number(*made);
  }
  void expect_error(std::string_view name, const std::string& message) const {
    EXPECT_THAT([&] { static_cast<void>(counters.make(parse_counter_name(name))); },
                ThrowsMessage<weft::error>(HasSubstr(message)));
  }

  std::chrono::steady_clock::time_point start_time;
  registry counters;
  fake_family x{"/a/x", {"locality#0/total"}};
  fake_family g{"/a/g", {"locality#0/total"}};
  std::vector<registration> kept;
};

exact_number whole(std::int64_t number) { return number; }

TEST_F(Statistics, all_samples_count) {
  EXPECT_EQ(statistic_of_eight("/statistics{/a/g}/average"), exact_number(5.0));
  EXPECT_EQ(statistic_of_eight("/statistics{/a/g}/stddev"), exact_number(2.0));
  EXPECT_EQ(statistic_of_eight("/statistics{/a/g}/median"), exact_number(4.5));
  EXPECT_EQ(statistic_of_eight("/statistics{/a/g}/min"), whole(2));
  EXPECT_EQ(statistic_of_eight("/statistics{/a/g}/max"), whole(9));
}

TEST_F(Statistics, the_last_samples_count_in_a_window) {
  EXPECT_EQ(statistic_of_eight("/statistics{/a/g}/rolling_average@1000,3"), exact_number(7.0));
  EXPECT_EQ(statistic_of_eight("/statistics{/a/g}/rolling_stddev@1000,2"), exact_number(1.0));
  EXPECT_EQ(statistic_of_eight("/statistics{/a/g}/rolling_median@1000,3"), whole(7));
  EXPECT_EQ(statistic_of_eight("/statistics{/a/g}/rolling_min@1000,3"), whole(5));
  EXPECT_EQ(statistic_of_eight("/statistics{/a/g}/rolling_max@1000,1"), whole(9));
}

TEST_F(Statistics, defaults_are_a_second_ten_samples_and_no_reset) {
  const auto made = start("/statistics{/a/g}/rolling_min");
  EXPECT_EQ(made->sampling_interval(), milliseconds(1000));
  for (int i = 1; i <= 10; ++i) {
    EXPECT_EQ(number(*made), whole(0));
    sample(*made, milliseconds(i * 1000), i);
  }
  EXPECT_EQ(number(*made), whole(1));
}

TEST_F(Statistics, samples_of_a_total_are_what_a_session_would_read) {
  x.numbers[0] = 100;
  const auto made = start("/statistics{/a/x}/average@500");
  sample(*made, milliseconds(500), 104);
  sample(*made, milliseconds(1000), 111);

  EXPECT_EQ(number(*made), exact_number((0.0 + 4 + 11) / 3));
}

TEST_F(Statistics, with_the_reset_flag_samples_are_of_one_interval) {
  x.numbers[0] = 100;
  const auto made = start("/statistics{/a/x}/average@500,1");
  EXPECT_THAT(value(*made).reason, HasSubstr("no sample has been taken yet; one is every 500 ms"));
  sample(*made, milliseconds(500), 104);
  sample(*made, milliseconds(1000), 111);

  EXPECT_EQ(number(*made), exact_number((4.0 + 7) / 2));
}

TEST_F(Statistics, a_reset_forgets_all_samples) {
  const auto made = start("/statistics{/a/x}/max@500");
  sample(*made, milliseconds(500), 50);
  EXPECT_EQ(number(*made), whole(50));

  evaluation now;
  made->reset(now);
  EXPECT_EQ(number(*made), whole(0));
}

TEST_F(Statistics, large_numbers_keep_all_their_digits) {
  constexpr std::int64_t large = (std::int64_t{1} << 62) + 1;
  for (const std::string name : {"max", "rolling_median@1000,1"}) {
    const auto made = start("/statistics{/a/g}/" + name);
    sample(*made, milliseconds(1000), large);
    EXPECT_EQ(number(*made), whole(large)) << name;
  }
}

TEST_F(Statistics, samples_come_at_their_own_interval_whatever_is_called) {
  const auto made = start(
      "/arithmetics/add@\"/statistics{/a/g}/max@300\",\"/statistics{/a/g}/rolling_min@1000,2\"");
  EXPECT_EQ(made->sampling_interval(), milliseconds(300));
  sample(*made, milliseconds(300), 1);  // max
  sample(*made, milliseconds(600), 2);
  sample(*made, milliseconds(900), 30);  // the time nearest to 1000: both
  sample(*made, milliseconds(1200), 4);
  sample(*made, milliseconds(1500), 5);
  sample(*made, milliseconds(1800), 6);
  EXPECT_EQ(number(*made), whole(30 + 0));
  sample(*made, milliseconds(2100), 7);
  EXPECT_EQ(number(*made), whole(30 + 7));
}

TEST_F(Statistics, they_nest_with_parameters) {
  const auto made = start("/statistics{/arithmetics/add@/a/g,1}/max@500");
  sample(*made, milliseconds(500), 50);
  EXPECT_EQ(number(*made), whole(51));

  const auto twice = start("/statistics{/statistics{/a/g}/max@250}/rolling_min@500,1");
  EXPECT_EQ(twice->sampling_interval(), milliseconds(250));
  sample(*twice, milliseconds(250), 70);
  sample(*twice, milliseconds(500), 60);
  EXPECT_EQ(number(*twice), whole(70));
}

TEST_F(Statistics, a_base_that_samples_more_often_does_not_hasten_them) {
  const auto made = start("/statistics{/statistics{/a/g}/rolling_max@250,1}/max@500");
  ASSERT_EQ(made->sampling_interval(), milliseconds(250));
  sample(*made, milliseconds(250), 70);
  sample(*made, milliseconds(500), 60);

  EXPECT_EQ(number(*made), whole(60));
}

TEST_F(Statistics, units_are_those_of_the_base) {
  EXPECT_EQ(counters.type_of(parse_counter_name("/statistics{/a/x}/max")).unit, "ns");
  EXPECT_EQ(
      counters.type_of(parse_counter_name("/statistics{/arithmetics/divide@1,/a/x}/max")).unit,
      "1/ns");
}

TEST_F(Statistics, a_base_that_vanishes_is_the_reason) {
  const auto made = start("/statistics{/a/x}/max@500");
  sample(*made, milliseconds(500), 50);
  kept.pop_back();

  EXPECT_EQ(value(*made).reason, "this counter is no longer registered");
  kept.push_back(counters.add(x.family()));
  EXPECT_EQ(number(*made), whole(50));
}

TEST_F(Statistics, samples_without_value_are_left_out) {
  const auto made = start("/statistics{/a/x}/min@500,1");
  x.on_read = [] { throw weft::error("no task has run"); };
  sample(*made, milliseconds(500), 3);
  EXPECT_EQ(value(*made).reason, "no task has run");

  x.on_read = [] {};
  evaluation now;
  made->reset(now);
  sample(*made, milliseconds(5000), 9);
  EXPECT_EQ(number(*made), whole(6));
}

TEST_F(Statistics, wrong_parameters_and_bases_are_errors) {
  expect_error("/statistics{/a/x}/max@0",
               "the interval in ms \"0\" is not a whole number from 1 to 86400000; leave it out "
               "for 1000");
  expect_error("/statistics{/a/x}/max@x", "the interval in ms \"x\"");
  expect_error("/statistics{/a/x}/max@5,2", "the reset flag \"2\"");
  expect_error("/statistics{/a/x}/max@5,1,1", "takes at most 2: @interval_ms,reset");
  expect_error("/statistics{/a/x}/rolling_max@5,0", "the number of samples \"0\"");
  expect_error("/statistics{/a/x}/rolling_max@5,1,1,1", "at most 3: @interval_ms,samples,reset");
  expect_error("/statistics/max", "needs a counter of which it is the statistic");
  expect_error("/statistics{/a/y}/max", "there is no counter /a/y; did you mean /a/");
  expect_error("/statistics{/a/*}/max", "means 2 counters where one is needed");
  fake_family array("/a/array", {"locality#0/total"});
  array.kind = counter_kind::array;
  const registration kept_array = counters.add(array.family());
  expect_error("/statistics{/a/array}/max", "/a/array has several");
}

TEST(StatisticsSession, its_thread_takes_no_signals) {
  std::atomic<int> is_blocked = -1;
  const auto program = std::this_thread::get_id();
  const registration kept = register_counter(
      {.name = "/own/blocked", .unit = "", .help = "", .kind = counter_kind::gauge}, [&] {
        if (std::this_thread::get_id() != program) {
          sigset_t blocked;
          pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
          is_blocked = sigismember(&blocked, SIGTERM);
          is_blocked.notify_one();
        }
        return 0;
      });
  const session reader({"/statistics{/own/blocked}/max@1"});

  is_blocked.wait(-1);

  EXPECT_EQ(is_blocked, 1);
  sigset_t of_program;
  pthread_sigmask(SIG_SETMASK, nullptr, &of_program);
  EXPECT_EQ(sigismember(&of_program, SIGTERM), 0);
}

TEST(StatisticsSession, samples_on_a_thread_of_its_own) {
  std::atomic<std::int64_t> num_reads = 0;
  const registration kept = register_counter(
      {.name = "/own/reads", .unit = "", .help = "", .kind = counter_kind::gauge}, [&] {
        num_reads.notify_one();
        return ++num_reads;
      });
  session reader({"/statistics{/own/reads}/max@1", "/statistics{/own/reads}/rolling_min@1,2"});

  while (const std::int64_t seen = num_reads.load()) {
    if (seen > 10) {
      break;
    }
    num_reads.wait(seen);
  }

  const auto read = reader.evaluate();
  EXPECT_GE(read.number_of("/statistics{/own/reads}/max@1"), 5);
  EXPECT_GE(read.number_of("/statistics{/own/reads}/rolling_min@1,2"), 2);
}

TEST(SampleStore, medians_of_very_many_samples_are_of_every_second_or_fourth) {
  sample_store store(std::nullopt);
  constexpr auto num_samples = static_cast<std::int64_t>(sample_store::max_kept) * 3;
  for (std::int64_t i = 0; i < num_samples; ++i) {
    store.add(i, std::nullopt);
  }

  EXPECT_NEAR(weft::counters::detail::as_double(store.value_of(statistic::median)),
              static_cast<double>(num_samples) / 2,
              4);
  EXPECT_EQ(store.value_of(statistic::max), exact_number(num_samples - 1));
  EXPECT_DOUBLE_EQ(std::get<double>(store.value_of(statistic::average)),
                   static_cast<double>(num_samples - 1) / 2);
}

TEST(SampleStore, estimates_are_as_coarse_as_the_coarsest_sample) {
  sample_store store(2);
  store.add(1, sampling{.one_in = 100, .num_samples = 1, .half_width = 9});
  store.add(2, std::nullopt);
  EXPECT_EQ(store.sampled(), (sampling{.one_in = 100, .num_samples = 1, .half_width = 9}));

  store.add(3, sampling{.one_in = 64, .num_samples = 20, .half_width = 1});
  EXPECT_EQ(store.sampled(), (sampling{.one_in = 64, .num_samples = 20, .half_width = 1}));
  store.add(3, sampling{.one_in = 32, .num_samples = 10, .half_width = 2});
  EXPECT_EQ(store.sampled(), (sampling{.one_in = 64, .num_samples = 10, .half_width = 2}));
}

}  // namespace statistics_test
