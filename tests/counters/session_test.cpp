// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about sessions: baselines of their own, and counters that come and go.
#include "weft/counters/session.hpp"

#include <atomic>
#include <cstdint>
#include <latch>
#include <memory>
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

#include "counters/fake_family.hpp"

namespace session_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;
using weft::counters::after_reading;
using weft::counters::counter_kind;
using weft::counters::register_counter;
using weft::counters::registration;
using weft::counters::registry;
using weft::counters::session;
using weft::counters::session_readings;
using weft_test::fake_family;

session open(registry& from, const std::vector<std::string>& names) { return session(names, from); }

TEST(Session, totals_count_from_its_start_and_its_resets) {
  registry counters;
  fake_family work("/jobs/done", {"locality#0/total"});
  work.numbers = {100};
  const registration kept = counters.add(work.family());
  session reader = open(counters, {"/jobs/done"});

  work.numbers = {107};
  EXPECT_EQ(reader.evaluate().number_of("/jobs/done"), 7);
  EXPECT_EQ(reader.evaluate(after_reading::reset).number_of("/jobs/done"), 7);
  work.numbers = {110};
  EXPECT_EQ(reader.evaluate().number_of("/jobs/done"), 3);
  reader.reset();
  EXPECT_EQ(reader.evaluate().number_of("/jobs/done"), 0);
}

TEST(Session, what_happens_while_it_is_stopped_does_not_count) {
  std::int64_t done = 5;
  const registration kept = register_counter(
      {.name = "/stopped/done", .unit = "", .help = "What was done."}, [&done] { return done; });
  session reader{"/stopped/done"};

  done += 1;
  reader.stop();
  done += 10;
  EXPECT_EQ(reader.evaluate().number_of("/stopped/done"), 1);
  reader.start();
  done += 100;
  reader.stop();
  done += 1000;
  EXPECT_EQ(reader.evaluate().number_of("/stopped/done"), 101);
  reader.reset();
  done += 10000;
  reader.start();
  done += 100000;
  EXPECT_EQ(reader.evaluate().number_of("/stopped/done"), 100000);
  EXPECT_FALSE(reader.evaluate().values[0].includes_pauses);
}

TEST(Session, what_comes_back_while_it_is_stopped_is_stopped_too) {
  std::int64_t done = 0;
  const auto offer = [&done] {
    return register_counter({.name = "/returning/done", .unit = "", .help = "What was done."},
                            [&done] { return done; });
  };
  registration kept = offer();
  session reader{"/returning/done"};
  reader.stop();
  kept = {};
  EXPECT_FALSE(reader.evaluate().values[0].value.value);

  kept = offer();
  EXPECT_EQ(reader.evaluate().number_of("/returning/done"), 0);
  done += 10;
  reader.start();
  done += 5;
  EXPECT_EQ(reader.evaluate().number_of("/returning/done"), 5);
}

TEST(Session, what_goes_on_while_it_is_stopped_says_so) {
  registry counters;
  fake_family work("/jobs/done", {"locality#0/total"});
  const registration kept = counters.add(work.family());
  session reader = open(counters, {"/jobs/done"});
  EXPECT_FALSE(reader.evaluate().values[0].includes_pauses);

  reader.stop();
  work.numbers = {7};

  EXPECT_EQ(reader.evaluate().number_of("/jobs/done"), 7);
  EXPECT_TRUE(reader.evaluate().values[0].includes_pauses);
}

TEST(Session, resets_of_one_do_not_show_in_another) {
  registry counters;
  fake_family work("/jobs/done", {"locality#0/total"});
  const registration kept = counters.add(work.family());
  session first = open(counters, {"/jobs/done"});
  session second = open(counters, {"/jobs/done"});

  work.numbers = {5};
  first.reset();
  work.numbers = {6};

  EXPECT_EQ(first.evaluate().number_of("/jobs/done"), 1);
  EXPECT_EQ(second.evaluate().number_of("/jobs/done"), 6);
}

TEST(Session, readings_are_numbered_named_and_timed) {
  registry counters;
  fake_family work("/jobs/done", {"locality#0/total"});
  const registration kept = counters.add(work.family());
  session reader = open(counters, {"/jobs/done"});

  const session_readings first = reader.evaluate();
  const session_readings second = reader.evaluate();

  EXPECT_EQ(first.number, 1U);
  EXPECT_EQ(second.number, 2U);
  EXPECT_LE(first.since_start, second.since_start);
  EXPECT_EQ(first.values.at(0).name, "/jobs{locality#0/total}/done");
  EXPECT_EQ(first.values.at(0).unit, "ns");
  EXPECT_EQ(first.values.at(0).kind, counter_kind::total);
}

TEST(Session, a_counter_meant_twice_is_read_once) {
  registry counters;
  fake_family work("/jobs/done", {"locality#0/total"});
  const registration kept = counters.add(work.family());

  EXPECT_THAT(open(counters, {"/jobs/done", "/jobs/*", "/jobs{locality#0/total}/done"}).names(),
              ElementsAre("/jobs{locality#0/total}/done"));
}

TEST(Session, values_are_found_by_name_or_a_pattern_that_means_one) {
  registry counters;
  fake_family work("/jobs/done", {"locality#0/total", "locality#0/pool#default/worker-thread#0"});
  const registration kept = counters.add(work.family());
  session reader = open(counters, {"/jobs/done"});
  work.numbers = {10, 7};

  const session_readings read = reader.evaluate();
  EXPECT_EQ(read.number_of("/jobs/done"), 10);
  EXPECT_EQ(read.number_of("/jobs{locality#0/pool#default/worker-thread#*}/d*"), 7);
  EXPECT_THAT([&] { static_cast<void>(read.number_of("/jobs{*}/done")); },
              ThrowsMessage<weft::error>(HasSubstr("means 2 counters of this session")));
  EXPECT_THAT([&] { static_cast<void>(read.number_of("/jobs/dome")); },
              ThrowsMessage<weft::error>("the session has no counter /jobs/dome; did you mean "
                                         "/jobs{locality#0/total}/done?"));
}

TEST(Session, histograms_are_found_by_name_and_nothing_else_is_one) {
  using weft::counters::histogram_value;
  const histogram_value sizes{.buckets = {{.upper = 8, .weight = 3}}, .sum = 12};
  session_readings read;
  read.values = {{.name = "/jobs{locality#0/total}/size", .unit = "", .value = {.value = sizes}},
                 {.name = "/jobs{locality#0/total}/done", .unit = "", .value = {.value = 1.5}},
                 {.name = "/jobs{locality#0/total}/none",
                  .unit = "",
                  .value = {.value = std::nullopt, .reason = "nothing ran"}}};

  EXPECT_EQ(read.histogram_of("/jobs/size"), sizes);
  EXPECT_THAT([&] { static_cast<void>(read.histogram_of("/jobs/done")); },
              ThrowsMessage<weft::error>(HasSubstr("is no histogram")));
  EXPECT_THAT([&] { static_cast<void>(read.histogram_of("/jobs/none")); },
              ThrowsMessage<weft::error>(HasSubstr("has no value: nothing ran")));
}

TEST(Session, a_reading_prints_with_unit_and_error_or_says_why_there_is_none) {
  weft::counters::session_reading reading{
      .name = "/jobs{locality#0/total}/mean", .unit = "ns", .value = {.value = 12.5}};
  EXPECT_EQ(to_string(reading), "12.5 ns");

  reading.value.sampled = {.one_in = 64, .num_samples = 100, .half_width = 1.25};
  EXPECT_EQ(to_string(reading), "12.5 ns [sampled 1/64, +-10.0 %]");

  reading.value = {.value = std::nullopt, .reason = "no task ran"};
  EXPECT_EQ(to_string(reading), "unavailable (no task ran)");
}

TEST(Session, a_name_that_means_nothing_is_an_error) {
  registry counters;
  fake_family work("/jobs/done", {"locality#0/total"});
  const registration kept = counters.add(work.family());

  EXPECT_THAT(
      [&] { open(counters, {"/jobs/done", "/jobs/dome"}); },
      ThrowsMessage<weft::error>("there is no counter /jobs/dome; did you mean /jobs/done?"));
}

TEST(Session, counters_that_a_wildcard_means_join_vanish_and_come_back) {
  registry counters;
  fake_family work("/jobs/done", {"locality#0/pool#default/worker-thread#0"});
  work.numbers = {100};
  const registration kept = counters.add(work.family());
  session reader = open(counters, {"/jobs{locality#0/pool#default/worker-thread#*}/done"});

  work.instances.emplace_back("locality#0/pool#default/worker-thread#1");
  work.numbers = {101, 8};
  const session_readings grown = reader.evaluate(after_reading::reset);
  ASSERT_EQ(grown.values.size(), 2U);
  EXPECT_EQ(grown.number_of("/jobs{locality#0/pool#default/worker-thread#0}/done"), 1);
  EXPECT_EQ(grown.number_of("/jobs{locality#0/pool#default/worker-thread#1}/done"), 8);

  work.instances.erase(work.instances.begin());
  work.numbers = {9};
  const session_readings shrunk = reader.evaluate();
  EXPECT_EQ(shrunk.values.at(0).value.reason, "this counter is no longer there");
  EXPECT_EQ(shrunk.number_of("/jobs{locality#0/pool#default/worker-thread#1}/done"), 1);

  work.instances.emplace_back("locality#0/pool#default/worker-thread#0");
  work.numbers = {9, 3};
  EXPECT_EQ(reader.evaluate().number_of("/jobs{locality#0/pool#default/worker-thread#0}/done"), 3);
}

TEST(Session, a_counter_registered_again_is_read_again) {
  registry counters;
  fake_family work("/jobs/done", {"locality#0/total"});
  std::optional<registration> kept = counters.add(work.family());
  session reader = open(counters, {"/jobs/done", "/jobs{locality#0/total}/done"});

  kept.reset();
  EXPECT_EQ(reader.evaluate().values.at(0).value.value, std::nullopt);
  work.numbers = {4};
  kept = counters.add(work.family());

  EXPECT_EQ(reader.evaluate().number_of("/jobs/done"), 4);
}

TEST(Session, values_of_one_evaluation_are_read_at_one_moment) {
  std::int64_t num_reads = 0;
  const registration kept =
      register_counter({.name = "/own/reads", .unit = "", .help = "", .kind = counter_kind::gauge},
                       [&] { return ++num_reads; });
  session reader({"/own/reads"});
  num_reads = 0;

  EXPECT_EQ(reader.evaluate(after_reading::reset).number_of("/own/reads"), 1);
  EXPECT_EQ(reader.evaluate().number_of("/own/reads"), 2);
}

TEST(Session, several_reset_at_once_without_losing_a_count) {
  constexpr std::int64_t num_events = 20'000;
  std::atomic<std::int64_t> events = 0;
  const registration kept =
      register_counter({.name = "/own/events", .unit = "", .help = ""}, &events);
  std::latch all_have_started(3);
  std::atomic<bool> is_done = false;
  const auto add_up = [&](std::int64_t& sum) {
    session reader({"/own/events"});
    all_have_started.arrive_and_wait();
    bool is_last = false;
    while (!is_last) {
      is_last = is_done;
      sum +=
          static_cast<std::int64_t>(reader.evaluate(after_reading::reset).number_of("/own/events"));
    }
  };
  std::int64_t first = 0;
  std::int64_t second = 0;
  std::thread first_thread([&] { add_up(first); });
  std::thread second_thread([&] { add_up(second); });
  session whole({"/own/events"});

  all_have_started.arrive_and_wait();
  for (std::int64_t i = 0; i < num_events; ++i) {
    ++events;
  }
  is_done = true;
  first_thread.join();
  second_thread.join();

  EXPECT_EQ(first, num_events);
  EXPECT_EQ(second, num_events);
  EXPECT_EQ(whole.evaluate().number_of("/own/events"), num_events);
}

TEST(Session, counters_come_and_go_while_sessions_evaluate) {
  constexpr int num_rounds = 100;
  const registration always =
      register_counter({.name = "/own/always", .unit = "", .help = ""}, [] { return 1; });
  std::atomic<bool> is_done = false;
  std::atomic<std::int64_t> num_wrong = 0;
  const auto read_all = [&](const std::vector<std::string>& names) {
    session reader(names);
    while (!is_done) {
      for (const auto& each : reader.evaluate(after_reading::reset).values) {
        const bool is_right = each.value.value.has_value() || !each.value.reason.empty();
        num_wrong += is_right ? 0 : 1;
      }
    }
  };
  const std::vector<std::string> by_wildcard{"/own/*"};
  const std::vector<std::string> refined{"/statistics{/own/always}/max@1",
                                         "/arithmetics/count@/own/*"};
  std::thread first([&] { read_all(by_wildcard); });
  std::thread second([&] { read_all(by_wildcard); });
  std::thread third([&] { read_all(refined); });

  for (int i = 0; i < num_rounds; ++i) {
    auto number = std::make_unique<std::int64_t>(0);
    const registration passing = register_counter({.name = "/own/passing", .unit = "", .help = ""},
                                                  [&] { return ++*number; });
    session short_lived({"/own/passing"});
    static_cast<void>(short_lived.evaluate());
  }
  is_done = true;
  first.join();
  second.join();
  third.join();

  EXPECT_EQ(num_wrong, 0);
}

TEST(Session, counters_come_and_go_while_sessions_are_made) {
  constexpr int num_passing = 20;
  const registration always =
      register_counter({.name = "/own/always", .unit = "", .help = ""}, [] { return 1; });
  std::atomic<bool> is_done = false;
  std::jthread changer([&] {
    while (!is_done) {
      std::vector<registration> passing;
      passing.reserve(num_passing);
      for (int i = 0; i < num_passing; ++i) {
        passing.push_back(
            register_counter({.name = "/own/passing-" + std::to_string(i), .unit = "", .help = ""},
                             [] { return 2; }));
      }
    }
  });

  for (int i = 0; i < 300; ++i) {
    EXPECT_NO_THROW(session({"/own/*", "/arithmetics/count@/own/*"})) << i;
  }

  is_done = true;
}

TEST(Session, one_is_evaluated_and_reset_by_several_threads) {
  std::atomic<std::int64_t> number = 0;
  const registration kept =
      register_counter({.name = "/own/number", .unit = "", .help = ""}, &number);
  session reader({"/own/number", "/statistics{/own/number}/max@1"});
  const auto use = [&] {
    for (int i = 0; i < 500; ++i) {
      ++number;
      EXPECT_GE(reader.evaluate().number_of("/own/number"), 0);
      reader.reset();
    }
  };

  std::thread other(use);
  use();
  other.join();

  EXPECT_EQ(reader.evaluate().number, 1001U);
}

TEST(Session, moves_with_its_sampling_thread) {
  const registration kept =
      register_counter({.name = "/own/number", .unit = "", .help = ""}, [] { return 1; });
  session first({"/statistics{/own/number}/max@1"});

  session second = std::move(first);
  first = session({"/own/number"});

  EXPECT_EQ(second.evaluate().number_of("/statistics{/own/number}/max@1"), 0);
  EXPECT_EQ(first.evaluate().number_of("/own/number"), 0);
}

}  // namespace session_test
