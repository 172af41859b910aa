// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about what is registered: how it is found, made, and read once it is gone.
#include "weft/counters/registry.hpp"

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/error.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/session.hpp"

#include "counters/fake_family.hpp"

namespace registry_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;
using weft::counters::after_reading;
using weft::counters::counter_kind;
using weft::counters::counter_name;
using weft::counters::counter_value;
using weft::counters::discover;
using weft::counters::evaluation;
using weft::counters::histogram_value;
using weft::counters::parse_counter_name;
using weft::counters::register_counter;
using weft::counters::register_histogram;
using weft::counters::registration;
using weft::counters::registry;
using weft::counters::session;
using weft::counters::to_string;
using weft_test::fake_family;

std::vector<std::string> discovered(const registry& from, std::string_view pattern) {
  std::vector<std::string> texts;
  for (const counter_name& name : from.discover(parse_counter_name(pattern))) {
    texts.push_back(to_string(name));
  }
  return texts;
}

counter_value read(const registry& from, std::string_view name) {
  evaluation now;
  return from.make(parse_counter_name(name))->evaluate(now);
}

std::int64_t whole(const counter_value& read) {
  return read.value ? std::get<std::int64_t>(*read.value) : throw weft::error(read.reason);
}

TEST(Registry, what_is_registered_can_be_found) {
  registry counters;
  fake_family work("/jobs/done", {"locality#0/total", "locality#0/pool#default/worker-thread#0"});
  const registration kept = counters.add(work.family());

  EXPECT_THAT(discovered(counters, "/jobs/*"),
              ElementsAre("/jobs{locality#0/total}/done",
                          "/jobs{locality#0/pool#default/worker-thread#0}/done"));
  EXPECT_EQ(counters.type_of(parse_counter_name("/jobs{locality#0/total}/done")).unit, "ns");
  EXPECT_EQ(counters.types().front().name, "/jobs/done");
}

TEST(Registry, a_name_that_means_nothing_is_an_error_with_the_nearest) {
  registry counters;
  fake_family work("/jobs/done", {"locality#0/total"});
  fake_family rest("/rest/time", {"locality#0/total"});
  const registration kept_work = counters.add(work.family());
  const registration kept_rest = counters.add(rest.family());

  const std::string message = "there is no counter /jobs/dome; did you mean /jobs/done?";
  const counter_name wrong = parse_counter_name("/jobs/dome");
  EXPECT_THAT([&] { static_cast<void>(counters.discover(wrong)); },
              ThrowsMessage<weft::error>(message));
  EXPECT_THAT([&] { static_cast<void>(counters.make(wrong)); },
              ThrowsMessage<weft::error>(message));
  EXPECT_THAT([&] { static_cast<void>(counters.type_of(wrong)); },
              ThrowsMessage<weft::error>(message));
}

TEST(Registry, one_counter_is_made_where_one_is_meant) {
  registry counters;
  fake_family work("/jobs/done", {"locality#0/total", "locality#0/pool#default/worker-thread#0"});
  work.numbers = {10, 7};
  const registration kept = counters.add(work.family());

  EXPECT_EQ(whole(read(counters, "/jobs/done")), 10);
  EXPECT_EQ(whole(read(counters, "/jobs{locality#0/pool#default/worker-thread#0}/done")), 7);
  EXPECT_EQ(whole(read(counters, "/jobs{locality#0/worker-thread#0}/done")), 7);
  EXPECT_THAT([&] { static_cast<void>(counters.make(parse_counter_name("/jobs{*}/done"))); },
              ThrowsMessage<weft::error>(HasSubstr("means 2 counters where one is needed")));
}

TEST(Registry, types_that_cannot_be_named_or_are_there_already_are_errors) {
  registry counters;
  fake_family work("/jobs/done", {"locality#0/total"});
  const registration kept = counters.add(work.family());

  const auto expect_error = [&](std::string name, bool is_open, const std::string& message) {
    fake_family family(std::move(name), {});
    auto offered = family.family();
    offered.is_open = is_open;
    EXPECT_THAT([&] { static_cast<void>(counters.add(offered)); },
                ThrowsMessage<weft::error>(HasSubstr(message)));
  };
  expect_error("/jobs/done", false, "counter /jobs/done is registered already");
  expect_error("work", false, "counter name");
  expect_error("/jobs{locality#0/total}/x", false, "register it as /jobs/x");
  expect_error("/jobs/x*", false, "holds a wildcard");
  expect_error("/jobs/x", true, "register it as /jobs/x/*");
  expect_error("/w*/*", true, "holds a wildcard");
}

TEST(Registry, an_open_family_takes_names_that_it_does_not_list) {
  registry counters;
  fake_family events("/perf/*", {"locality#0/total", "locality#0/pool#default/worker-thread#0"});
  events.listed_counter = "CYCLES";
  auto offered = events.family();
  offered.is_open = true;
  const registration kept = counters.add(offered);

  EXPECT_THAT(discovered(counters, "/perf/*"),
              ElementsAre("/perf{locality#0/total}/CYCLES",
                          "/perf{locality#0/pool#default/worker-thread#0}/CYCLES"));
  EXPECT_THAT(discovered(counters, "/perf/cache:MISSES"),
              ElementsAre("/perf{locality#0/total}/cache:MISSES",
                          "/perf{locality#0/pool#default/worker-thread#0}/cache:MISSES"));
  EXPECT_THAT(discovered(counters, "/perf{locality#0/pool#default/worker-thread#*}/A/B"),
              ElementsAre("/perf{locality#0/pool#default/worker-thread#0}/A/B"));
  EXPECT_THAT(discovered(counters, "/perf{cpu#3}/A"), ElementsAre("/perf{cpu#3}/A"));
  EXPECT_EQ(counters.type_of(parse_counter_name("/perf/X")).name, "/perf/X");
  EXPECT_THAT([&] { static_cast<void>(discovered(counters, "/perf/X*")); },
              ThrowsMessage<weft::error>(HasSubstr("did you mean /perf/CYCLES?")));
  EXPECT_THAT([&] { static_cast<void>(discovered(counters, "/pref/X")); },
              ThrowsMessage<weft::error>(HasSubstr("did you mean /perf/CYCLES?")));
}

TEST(Registry, counters_held_longer_than_their_registration_say_so) {
  registry counters;
  fake_family work("/jobs/done", {"locality#0/total"});
  registration kept = counters.add(work.family());
  const auto held = counters.make(parse_counter_name("/jobs/done"));

  kept = {};

  evaluation now;
  EXPECT_EQ(held->evaluate(now).value, std::nullopt);
  EXPECT_EQ(held->evaluate(now).reason, "this counter is no longer registered");
  EXPECT_THAT(counters.types(), IsEmpty());
}

TEST(Registry, ending_a_registration_waits_for_a_reading_under_way) {
  registry counters;
  std::atomic<bool> is_inside = false;
  std::atomic<bool> may_leave = false;
  fake_family work("/jobs/done", {"locality#0/total"});
  work.on_read = [&] {
    is_inside = true;
    is_inside.notify_one();
    may_leave.wait(false);
  };
  auto kept = std::make_unique<registration>(counters.add(work.family()));
  const auto held = counters.make(parse_counter_name("/jobs/done"));

  counter_value value;
  std::thread reader([&] {
    evaluation now;
    value = held->evaluate(now);
  });
  is_inside.wait(false);
  std::atomic<bool> has_ended = false;
  std::thread ender([&] {
    kept.reset();
    has_ended = true;
  });
  while (!counters.types().empty()) {
    std::this_thread::yield();
  }
  EXPECT_FALSE(has_ended);
  may_leave = true;
  may_leave.notify_one();
  reader.join();
  ender.join();

  EXPECT_TRUE(value.value);
}

TEST(OwnCounter, whole_numbers_keep_all_their_digits) {
  constexpr std::int64_t large = (std::int64_t{1} << 62) + 1;
  std::int64_t added = 0;
  const registration kept =
      register_counter({.name = "/own/large", .unit = "", .help = ""}, [&] { return added; });
  session counters({"/own/large"});

  added = large;

  EXPECT_EQ(whole(counters.evaluate().values.at(0).value), large);
}

TEST(OwnCounter, numbers_of_all_kinds_can_be_registered) {
  std::atomic<std::int64_t> number = 5;
  const registration pointer = register_counter(
      {.name = "/own/pointer", .unit = "", .help = "", .kind = counter_kind::gauge}, &number);
  const registration real =
      register_counter({.name = "/own/real", .unit = "", .help = "", .kind = counter_kind::gauge},
                       [] { return 0.5F; });
  const registration natural = register_counter(
      {.name = "/own/natural", .unit = "", .help = "", .kind = counter_kind::gauge},
      [] { return std::uint64_t{1} << 63; });
  const registration array =
      register_counter({.name = "/own/array", .unit = "", .help = "", .kind = counter_kind::array},
                       [] { return std::vector<std::int64_t>{3, 4}; });
  session counters({"/own/pointer", "/own/real", "/own/natural", "/own/array"});

  const auto read = counters.evaluate();
  EXPECT_EQ(read.number_of("/own/pointer"), 5);
  EXPECT_EQ(read.number_of("/own/real"), 0.5);
  EXPECT_THAT(read.values.at(2).value.reason, HasSubstr("9223372036854775808 is beyond"));
  EXPECT_EQ(read.values.at(3).value.value, counter_value::number(std::vector<std::int64_t>{3, 4}));
  EXPECT_THAT([&] { static_cast<void>(read.number_of("/own/array")); },
              ThrowsMessage<weft::error>(HasSubstr("is not one number")));
}

TEST(OwnCounter, what_a_function_throws_is_the_reason_for_no_value) {
  bool is_broken = false;
  const registration kept = register_counter({.name = "/own/number", .unit = "", .help = ""}, [&] {
    return is_broken ? throw std::runtime_error("the pump is off") : 1;
  });
  session counters({"/own/number"});

  is_broken = true;
  EXPECT_EQ(counters.evaluate(after_reading::reset).values.at(0).value.reason, "the pump is off");
  is_broken = false;
  EXPECT_THAT(counters.evaluate().values.at(0).value.reason,
              HasSubstr("at the last reset is not known: the pump is off"));
  counters.reset();
  EXPECT_EQ(counters.evaluate().number_of("/own/number"), 0);
}

TEST(OwnCounter, a_total_that_falls_has_no_value) {
  std::int64_t number = 7;
  const registration kept =
      register_counter({.name = "/own/number", .unit = "", .help = ""}, [&] { return number; });
  session counters({"/own/number"});

  number = 3;

  EXPECT_THAT(counters.evaluate().values.at(0).value.reason, HasSubstr("fell from 7 to 3"));
}

TEST(OwnCounter, what_is_no_finite_number_is_no_value) {
  double number = std::numeric_limits<double>::quiet_NaN();
  const registration total =
      register_counter({.name = "/own/total", .unit = "", .help = ""}, [&] { return number; });
  const registration gauge =
      register_counter({.name = "/own/gauge", .unit = "", .help = "", .kind = counter_kind::gauge},
                       [&] { return number; });
  session counters({"/own/total", "/own/gauge"});

  EXPECT_THAT(counters.evaluate().values.at(0).value.reason, HasSubstr("nan, which is not"));
  EXPECT_THAT(counters.evaluate(after_reading::reset).values.at(1).value.reason,
              HasSubstr("nan, which is not"));
  number = 1;
  EXPECT_EQ(counters.evaluate().number_of("/own/gauge"), 1);
  EXPECT_EQ(counters.evaluate().values.at(0).value.value, std::nullopt);
}

TEST(OwnCounter, a_histogram_counts_since_the_reset) {
  histogram_value recorded{.buckets = {{1, 2}, {2, 0}, {4, 5}}, .sum = 20};
  const registration kept = register_histogram(
      {.name = "/own/sizes", .unit = "bytes", .help = "", .kind = counter_kind::histogram},
      [&] { return recorded; });
  session counters({"/own/sizes"});

  recorded = {.buckets = {{1, 2}, {2, 3}, {4, 6}, {8, 0}, {16, 1}}, .sum = 45};

  const histogram_value change{.buckets = {{2, 3}, {4, 1}, {8, 0}, {16, 1}}, .sum = 25};
  EXPECT_EQ(counters.evaluate().values.at(0).value.value, counter_value::number(change));
  recorded.buckets.at(1).weight = 1;
  EXPECT_EQ(counters.evaluate(after_reading::reset).values.at(0).value.value,
            counter_value::number(
                histogram_value{.buckets = {{2, 1}, {4, 1}, {8, 0}, {16, 1}}, .sum = 25}));
  recorded.buckets.at(1).weight = 0;
  EXPECT_THAT(counters.evaluate().values.at(0).value.reason, HasSubstr("holds less than"));
}

TEST(OwnCounter, a_kind_that_does_not_fit_and_parameters_are_errors) {
  EXPECT_THAT(
      [] {
        static_cast<void>(register_counter(
            {.name = "/own/x", .unit = "", .help = "", .kind = counter_kind::histogram},
            [] { return 1; }));
      },
      ThrowsMessage<weft::error>(HasSubstr("set kind to counter_kind::total or")));
  EXPECT_THAT(
      [] {
        static_cast<void>(register_counter({.name = "/own/x", .unit = "", .help = ""},
                                           [] { return std::vector<std::int64_t>(); }));
      },
      ThrowsMessage<weft::error>(HasSubstr("set kind to counter_kind::array")));
  const registration kept =
      register_counter({.name = "/own/x", .unit = "", .help = ""}, [] { return 1; });
  EXPECT_THAT([] { session({"/own/x@5"}); },
              ThrowsMessage<weft::error>(HasSubstr("takes no parameters; leave out \"@5\"")));
}

TEST(OwnCounter, is_discovered_while_it_is_registered) {
  {
    const registration kept =
        register_counter({.name = "/own/x", .unit = "", .help = ""}, [] { return 1; });
    EXPECT_THAT(discover("/own/*"), ElementsAre("/own{locality#0/total}/x"));
    EXPECT_THAT(discover("/*"), Contains("/own{locality#0/total}/x"));
  }
  EXPECT_THAT([] { static_cast<void>(discover("/own/x")); },
              ThrowsMessage<weft::error>(HasSubstr("there is no counter /own/x")));
}

}  // namespace registry_test
