// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about patterns of counter names: what they match, mean, and nearly meant.
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/error.hpp"
#include "weft/counters/name.hpp"

#include "counters/core/absent_counters.hpp"

namespace name_match_test {

using testing::AllOf;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::EndsWith;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;
using testing::ThrowsMessage;
using weft::counters::counter_name;
using weft::counters::expand;
using weft::counters::matches;
using weft::counters::parse_counter_name;
using weft::counters::to_string;

bool is_match(std::string_view pattern, std::string_view name) {
  return matches(parse_counter_name(pattern), parse_counter_name(name));
}

std::vector<counter_name> parsed(const std::vector<std::string>& texts) {
  std::vector<counter_name> names;
  names.reserve(texts.size());
  for (const std::string& text : texts) {
    names.push_back(parse_counter_name(text));
  }
  return names;
}

const std::vector<counter_name>& known() {
  static const std::vector<counter_name> names = parsed({
      "/threads{locality#0/total}/count/cumulative",
      "/threads{locality#0/pool#default/worker-thread#0}/count/cumulative",
      "/threads{locality#0/pool#default/worker-thread#1}/count/cumulative",
      "/threads{locality#0/pool#io/worker-thread#0}/count/cumulative",
      "/threads{locality#0/total}/count/instantaneous/all",
      "/threads{locality#0/total}/time/average",
      "/threads{locality#0/pool#default/worker-thread#0}/time/average",
      "/threads{locality#1/total}/time/average",
      "/runtime{locality#0/total}/count/component@vector",
      "/statistics/average",
      "/arithmetics/add",
  });
  return names;
}

std::vector<std::string> meant(std::string_view pattern) {
  std::vector<std::string> texts;
  for (const counter_name& name : expand(parse_counter_name(pattern), known())) {
    EXPECT_TRUE(matches(parse_counter_name(pattern), name)) << pattern << to_string(name);
    texts.push_back(to_string(name));
  }
  return texts;
}

TEST(CounterPattern, object_and_counter_match_as_in_a_shell) {
  EXPECT_TRUE(is_match("/threads/count/*", "/threads/count/cumulative"));
  EXPECT_TRUE(is_match("/threads/count/*", "/threads/count/instantaneous/all"));
  EXPECT_TRUE(is_match("/threads*", "/threads/count/cumulative"));
  EXPECT_TRUE(is_match("/*", "/threads/idle-rate"));
  EXPECT_TRUE(is_match("/thread?/*e*rate", "/threads/idle-rate"));
  EXPECT_TRUE(is_match("/threads/**", "/threads/x"));
  EXPECT_FALSE(is_match("/threads/count/*", "/threads/time/average"));
  EXPECT_FALSE(is_match("/thread?/x", "/thread/x"));
  EXPECT_FALSE(is_match("/threads/count", "/threads/count/cumulative"));
  EXPECT_FALSE(is_match("/threads/count/*x", "/threads/count/cumulative"));
}

TEST(CounterPattern, brackets_hold_the_characters_of_one_place) {
  EXPECT_TRUE(is_match("/[st]hreads/x[0-35]", "/threads/x2"));
  EXPECT_TRUE(is_match("/threads/x[0-35]", "/threads/x5"));
  EXPECT_TRUE(is_match("/threads/x[!0-3]", "/threads/x4"));
  EXPECT_TRUE(is_match("/threads/x[^0-3]", "/threads/x-"));
  EXPECT_TRUE(is_match("/threads/x[]a]", "/threads/x]"));
  EXPECT_TRUE(is_match("/threads/x[a-]", "/threads/x-"));
  EXPECT_TRUE(is_match("/threads/[a-c]*[x-z]", "/threads/b[q]y"));
  EXPECT_TRUE(is_match("/threads/x[ab", "/threads/x[ab"));
  EXPECT_FALSE(is_match("/threads/x[0-35]", "/threads/x4"));
  EXPECT_FALSE(is_match("/threads/x[!0-3]", "/threads/x2"));
  EXPECT_FALSE(is_match("/threads/x[!]a]", "/threads/x]"));
}

TEST(CounterPattern, stars_stand_for_indices_and_parts_of_an_instance) {
  const std::string_view name = "/o{locality#0/pool#io/worker-thread#3}/c";
  EXPECT_TRUE(is_match("/o{locality#*/pool#*/worker-thread#*}/c", name));
  EXPECT_TRUE(is_match("/o{locality#0/pool#io/*}/c", name));
  EXPECT_TRUE(is_match("/o{locality#0/*/worker-thread#3}/c", name));
  EXPECT_TRUE(is_match("/o{locality#0/*}/c", name));
  EXPECT_TRUE(is_match("/o{*}/c", name));
  EXPECT_TRUE(is_match("/o/c", name));
  EXPECT_FALSE(is_match("/o{locality#1/*}/c", name));
  EXPECT_FALSE(is_match("/o{locality#*/pool#*}/c", name));
  EXPECT_FALSE(is_match("/o{locality#0/pool#default/*}/c", name));
  EXPECT_FALSE(is_match("/o{locality#0/pool#io/main-thread#*}/c", name));
  EXPECT_FALSE(is_match("/o{locality#*/total#*}/c", "/o{locality#0/total}/c"));
  EXPECT_FALSE(is_match("/o{locality/total}/c", "/o{locality#0/total}/c"));
  EXPECT_FALSE(is_match("/o{locality#0/total/*}/c", "/o{locality#0/total}/c"));
}

TEST(CounterPattern, both_kinds_of_wildcards_work_together) {
  EXPECT_THAT(meant("/threads{locality#0/total}/count/*"),
              ElementsAre("/threads{locality#0/total}/count/cumulative",
                          "/threads{locality#0/total}/count/instantaneous/all"));
  EXPECT_THAT(meant("/t*{locality#0/pool#default/worker-thread#*}/*a*e"),
              ElementsAre("/threads{locality#0/pool#default/worker-thread#0}/count/cumulative",
                          "/threads{locality#0/pool#default/worker-thread#1}/count/cumulative",
                          "/threads{locality#0/pool#default/worker-thread#0}/time/average"));
  EXPECT_THAT(meant("/threads{locality#*/total}/t*"),
              ElementsAre("/threads{locality#0/total}/time/average",
                          "/threads{locality#1/total}/time/average"));
}

TEST(CounterPattern, parameters_match_none_or_themselves) {
  EXPECT_TRUE(is_match("/o/*", "/o/c@x"));
  EXPECT_TRUE(is_match("/o/*@x", "/o/c@x"));
  EXPECT_FALSE(is_match("/o/*@y", "/o/c@x"));
  EXPECT_FALSE(is_match("/o/*@x", "/o/c"));
}

TEST(CounterPattern, a_base_matches_a_base) {
  const std::string_view name = "/statistics{/o{locality#0/total}/c}/max@5";
  EXPECT_TRUE(is_match("/statistics{/o{locality#*/total}/*}/m*", name));
  EXPECT_TRUE(is_match("/statistics{/o/c}/max", name));
  EXPECT_TRUE(is_match("/statistics{*}/max", name));
  EXPECT_TRUE(is_match("/statistics/max", name));
  EXPECT_FALSE(is_match("/statistics{/o{locality#1/total}/c}/max", name));
  EXPECT_FALSE(is_match("/statistics{locality#*/total}/max", name));
  EXPECT_FALSE(is_match("/statistics{/o/c}/max", "/statistics/max"));
}

TEST(CounterExpansion, without_instance_means_the_total_and_all_workers) {
  EXPECT_THAT(meant("/threads/count/cumulative"),
              ElementsAre("/threads{locality#0/total}/count/cumulative",
                          "/threads{locality#0/pool#default/worker-thread#0}/count/cumulative",
                          "/threads{locality#0/pool#default/worker-thread#1}/count/cumulative",
                          "/threads{locality#0/pool#io/worker-thread#0}/count/cumulative"));
  EXPECT_THAT(meant("/threads{*}/count/cumulative"),
              ElementsAreArray(meant("/threads/count/cumulative")));
  EXPECT_THAT(meant("/*"), SizeIs(known().size()));
}

TEST(CounterExpansion, parameters_are_handed_on) {
  EXPECT_EQ(to_string(expand(parse_counter_name("/arithmetics/add@/x,/y"), known()).front()),
            "/arithmetics/add@/x,/y");
  EXPECT_THAT(meant("/runtime/count/component"),
              ElementsAre("/runtime{locality#0/total}/count/component@vector"));
}

TEST(CounterExpansion, a_base_is_expanded_in_place) {
  const counter_name pattern =
      parse_counter_name("/statistics{/threads{locality#0/*}/time/*}/average@500");

  EXPECT_THAT(
      expand(pattern, known()),
      ElementsAreArray(parsed({"/statistics{/threads{locality#0/total}/time/average}/average@500",
                               "/statistics{/threads{locality#0/pool#default/worker-thread#0}/time/"
                               "average}/average@500"})));
}

TEST(CounterExpansion, a_base_without_instance_means_its_total) {
  EXPECT_EQ(expand(parse_counter_name("/statistics{/threads/count/cumulative}/average"), known()),
            parsed({"/statistics{/threads{locality#0/total}/count/cumulative}/average"}));
  EXPECT_EQ(expand(parse_counter_name("/statistics{/arithmetics/add@/a,/b}/average@500"), known()),
            parsed({"/statistics{/arithmetics/add@/a,/b}/average@500"}));
}

/// Expects that expanding `pattern` is the error `message`.
void expect_error(std::string_view pattern, std::string_view message) {
  EXPECT_THAT([&] { static_cast<void>(expand(parse_counter_name(pattern), known())); },
              ThrowsMessage<weft::error>(std::string(message)));
}

TEST(CounterExpansion, a_type_that_matches_nothing_is_an_error_with_the_nearest) {
  expect_error("/thread/count/cumulatve",
               "there is no counter /thread/count/cumulatve; did you mean "
               "/threads/count/cumulative?");
  expect_error("/threads{locality#0/total}/tine/*",
               "there is no counter /threads/tine/*; did you mean /threads/time/average?");
  expect_error("/statistics{/threads/time/averge}/average",
               "there is no counter /threads/time/averge; did you mean /threads/time/average?");
  expect_error("/statistic{/threads/time/average}/average",
               "there is no counter /statistic/average; did you mean /statistics/average?");
  EXPECT_THAT([] { static_cast<void>(expand(parse_counter_name("/x"), {})); },
              ThrowsMessage<weft::error>(HasSubstr("no counter /x, as none is registered")));
}

/// Expects that asking for `pattern` is an error that says `why`, where /a/b is the one counter.
void expect_absence(std::string_view pattern, std::string_view why) {
  const std::string message =
      ": " + std::string(why) + "; --weft:list-counters lists the counters of this program";
  EXPECT_THAT(
      [&] { static_cast<void>(expand(parse_counter_name(pattern), parsed({"/a/b"}))); },
      ThrowsMessage<weft::error>(AllOf(StartsWith("there is no counter /"), EndsWith(message))))
      << pattern;
}

TEST(CounterExpansion, a_counter_of_hpx_that_weft_lacks_is_answered_with_the_reason) {
  for (const char* name : {"/agas{locality#0/total}/count/bind",
                           "/agas/time/route",
                           "/agas*/count/*",
                           "/agas",
                           "/runtime{locality#0/total}/count/component@x"}) {
    expect_absence(name, "weft has no global address space, components or actions");
  }
  for (const char* name : {"/parcels{locality#0/total}/count/sent",
                           "/statistics{/messages{locality#0/total}/count/mpi/sent}/average"}) {
    expect_absence(name,
                   "programs that are linked to weft::distributed have /parcels, /messages and "
                   "/data as count/mpi/sent and count/mpi/received; there are no others");
  }
  expect_absence("/threads{locality#0/total}/count/stolen-from-staged",
                 "tasks from outside wait in one queue that all workers share, so none is stolen");
}

TEST(CounterExpansion, every_name_that_the_reference_calls_absent_has_its_reason) {
  for (const weft::counters::detail::absent_counters& each : weft::counters::detail::absent) {
    std::istringstream names{std::string(each.names)};
    for (std::string name; names >> name;) {
      expect_absence(name.substr(0, name.find(',')), each.reason);
    }
  }
}

TEST(CounterExpansion, an_instance_that_matches_nothing_is_an_error_with_the_nearest) {
  expect_error("/threads{locality#0/pool#defualt/worker-thread#1}/count/cumulative",
               "counter /threads/count/cumulative has no instance "
               "{locality#0/pool#defualt/worker-thread#1}; did you mean "
               "/threads{locality#0/pool#default/worker-thread#1}/count/cumulative?");
  expect_error("/threads{/runtime/count/component}/time/average",
               "counter /threads/time/average has no instance {/runtime/count/component}; did you "
               "mean /threads{locality#0/total}/time/average?");
  expect_error("/threads{locality#1/total}/count/*",
               "counter /threads/count/* has no instance {locality#1/total}; did you mean "
               "/threads{locality#0/total}/count/cumulative?");
  expect_error("/statistics{/threads{locality#0/pool#*/worker-thread#9}/time/average}/average",
               "counter /threads/time/average has no instance {locality#0/pool#*/worker-thread#9}; "
               "did you mean /threads{locality#0/pool#default/worker-thread#0}/time/average?");
}

TEST(CounterPattern, many_stars_take_no_time) {
  const std::string name = "/o/" + std::string(3000, 'a');
  std::string pattern = "/o/";
  for (int i = 0; i < 500; ++i) {
    pattern += "*a";
  }

  EXPECT_TRUE(is_match(pattern, name));
  EXPECT_FALSE(is_match(pattern + "b", name));
}

}  // namespace name_match_test
