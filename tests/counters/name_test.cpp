// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about counter names: which are valid, what they mean, and what is said of the others.
#include "weft/counters/name.hpp"

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/error.hpp"

namespace name_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;
using weft::counters::complete;
using weft::counters::counter_name;
using weft::counters::every_index;
using weft::counters::instance_part;
using weft::counters::join_parameters;
using weft::counters::parse_counter_name;
using weft::counters::split_parameters;
using weft::counters::to_string;
using weft::counters::type_name;

std::string canonical(std::string_view text) { return to_string(parse_counter_name(text)); }

instance_part part(std::string name) { return {.name = std::move(name)}; }
instance_part numbered(std::string name, std::uint32_t number) {
  return {.name = std::move(name), .index = number};
}
instance_part every(std::string name) { return {.name = std::move(name), .index = every_index{}}; }
instance_part pool(std::string name) { return {.name = "pool", .index = std::move(name)}; }

TEST(CounterName, all_pieces_of_a_name_are_told_apart) {
  const counter_name name =
      parse_counter_name("/threads{locality#2/pool#io/worker-thread#7}/count/cumulative@50,x");

  EXPECT_EQ(name.object, "threads");
  EXPECT_THAT(name.instance,
              ElementsAre(numbered("locality", 2), pool("io"), numbered("worker-thread", 7)));
  EXPECT_THAT(name.base, IsEmpty());
  EXPECT_EQ(name.counter, "count/cumulative");
  EXPECT_EQ(name.parameters, "50,x");
  EXPECT_EQ(type_name(name), "/threads/count/cumulative");
}

TEST(CounterName, all_pieces_but_the_object_may_be_missing) {
  EXPECT_EQ(parse_counter_name("/threads"), (counter_name{.object = "threads"}));
  EXPECT_EQ(parse_counter_name("/threads@a"),
            (counter_name{.object = "threads", .parameters = "a"}));
  EXPECT_EQ(parse_counter_name("/threads/idle-rate"),
            (counter_name{.object = "threads", .counter = "idle-rate"}));
  EXPECT_EQ(parse_counter_name("/threads{total}"),
            (counter_name{.object = "threads", .instance = {part("total")}}));
  EXPECT_EQ(type_name(parse_counter_name("/threads{total}@a")), "/threads");
}

// Every form of an instance, with every form of what follows it.
TEST(CounterName, every_part_of_an_instance_has_no_index_or_a_number_or_a_star) {
  const std::vector<std::pair<std::string, std::vector<instance_part>>> instances{
      {"node", {part("node")}},
      {"node#4", {numbered("node", 4)}},
      {"node#*", {every("node")}},
      {"node/core", {part("node"), part("core")}},
      {"node/core#1", {part("node"), numbered("core", 1)}},
      {"node#4/core#1", {numbered("node", 4), numbered("core", 1)}},
      {"node#*/core#*", {every("node"), every("core")}},
      {"node#4/pool#fast lane", {numbered("node", 4), pool("fast lane")}},
      {"node#4/pool#*", {numbered("node", 4), every("pool")}},
      {"node#4/pool#7", {numbered("node", 4), pool("7")}},
      {"node/core/port", {part("node"), part("core"), part("port")}},
      {"node/core/port#1", {part("node"), part("core"), numbered("port", 1)}},
      {"node/core/port#*", {part("node"), part("core"), every("port")}},
      {"node/core#2/port#1", {part("node"), numbered("core", 2), numbered("port", 1)}},
      {"node/core#*/port#*", {part("node"), every("core"), every("port")}},
      {"node/core/port/lane#1", {part("node"), part("core"), numbered("port/lane", 1)}},
      {"*", {part("*")}},
      {"node#0/pool#io/*", {numbered("node", 0), pool("io"), part("*")}},
  };
  for (const auto& [text, parts] : instances) {
    for (const std::string counter : {"", "/speed", "/speed/of::light,c"}) {
      for (const std::string parameters : {"", "@metric", "@a,\"}\",{b}#/@*"}) {
        const std::string whole =
            std::string("/physics{").append(text).append("}").append(counter).append(parameters);
        SCOPED_TRACE(whole);
        const counter_name name = parse_counter_name(whole);

        EXPECT_EQ(name,
                  (counter_name{.object = "physics",
                                .instance = parts,
                                .counter = counter.empty() ? "" : counter.substr(1),
                                .parameters = parameters.empty() ? "" : parameters.substr(1)}));
        EXPECT_EQ(to_string(name), whole);
        EXPECT_EQ(type_name(name), "/physics" + counter);
      }
    }
  }
}

TEST(CounterName, a_whole_name_may_be_the_base_of_another) {
  const counter_name name =
      parse_counter_name("/statistics{/threads{locality#0/total}/time/average}/stddev@200,1");

  EXPECT_EQ(name.object, "statistics");
  EXPECT_THAT(name.instance, IsEmpty());
  EXPECT_THAT(name.base,
              ElementsAre(parse_counter_name("/threads{locality#0/total}/time/average")));
  EXPECT_EQ(name.counter, "stddev");
  EXPECT_EQ(name.parameters, "200,1");
}

TEST(CounterName, a_base_may_have_parameters_and_a_base_of_its_own) {
  const counter_name name = parse_counter_name(
      "/statistics{/statistics{/arithmetics/add@/a{b#1/c}/d,/e@\"}\"}/max@100}/average@500");

  ASSERT_EQ(name.base.size(), 1U);
  EXPECT_EQ(name.parameters, "500");
  EXPECT_EQ(name.base[0].parameters, "100");
  ASSERT_EQ(name.base[0].base.size(), 1U);
  EXPECT_EQ(to_string(name.base[0].base[0]), "/arithmetics/add@/a{b#1/c}/d,/e@\"}\"");
}

TEST(CounterName, printing_drops_the_prefix_of_hpx_and_leading_zeros) {
  EXPECT_EQ(canonical("/counters/threads{locality#007/total}/idle-rate"),
            "/threads{locality#7/total}/idle-rate");
  EXPECT_EQ(canonical("/statistics{/counters/threads/idle-rate}/max"),
            "/statistics{/threads/idle-rate}/max");
  EXPECT_EQ(canonical("/threads{locality#0/pool#007/total}/idle-rate"),  // a name, not a number
            "/threads{locality#0/pool#007/total}/idle-rate");
}

TEST(CounterName, an_object_called_like_the_prefix_survives) {
  EXPECT_EQ(parse_counter_name("/counters/counters/x").object, "counters");
  EXPECT_EQ(canonical("/counters/counters/x"), "/counters/counters/x");
  EXPECT_EQ(parse_counter_name("/countersign/x").object, "countersign");
}

TEST(CounterName, printing_what_no_text_means_is_an_error) {
  const auto unprintable = {
      counter_name{},
      counter_name{.object = "a/b"},
      counter_name{.object = "a", .instance = {pool("x")}},  // only a second part is a pool
      counter_name{.object = "a", .instance = {part("b"), {.name = "pool", .index = 1U}}},
      counter_name{.object = "a", .instance = {part("b"), part("c"), part("d"), part("e")}},
      counter_name{.object = "a", .instance = {part("b")}, .base = {{.object = "c"}}},
      counter_name{.object = "a", .base = {{.object = "b"}, {.object = "c"}}},
      counter_name{.object = "a", .counter = "b@c"},
      counter_name{.object = "a", .parameters = "}"},
  };
  for (const counter_name& name : unprintable) {
    EXPECT_THROW(static_cast<void>(to_string(name)), weft::error) << name.object;
  }
}

struct invalid_name {
  std::string_view text;
  std::size_t character;  // the one marked, from 1
  std::string_view problem;
};

class InvalidCounterName : public testing::TestWithParam<invalid_name> {};

TEST_P(InvalidCounterName, is_marked_where_it_does_not_fit) {
  const auto& [text, character, problem] = GetParam();

  EXPECT_THAT([&] { static_cast<void>(parse_counter_name(text)); },
              ThrowsMessage<weft::error>("counter name, character " + std::to_string(character) +
                                         ": " + std::string(problem) + "\n  " + std::string(text) +
                                         "\n  " + std::string(character - 1, ' ') + '^'));
}

constexpr std::string_view no_slash = "expected /, with which a counter name begins";
constexpr std::string_view no_object =
    "expected an object, such as threads in /threads/count/cumulative";
constexpr std::string_view no_part = "expected a part of an instance, such as locality#0 or total";
constexpr std::string_view no_index =
    "expected a number or *; only a pool, which is a second part, has a name";
constexpr std::string_view no_counter = "expected a counter after the /, such as count/cumulative";
constexpr std::string_view not_between =
    "expected / or }, between or after the parts of an instance";
constexpr std::string_view never_closed = "this brace is never closed; expected a } for it";
constexpr std::string_view index_outside =
    "an index belongs to a part of an instance; expected it in braces";
constexpr std::string_view quote_outside = "quotes belong into parameters; expected @ before them";
constexpr std::string_view closes_nothing = "this brace closes nothing";

INSTANTIATE_TEST_SUITE_P(
    WrongInHpxToo,
    InvalidCounterName,
    testing::Values(
        invalid_name{"", 1, no_slash},
        invalid_name{"threads/count", 1, no_slash},
        invalid_name{"/", 2, no_object},
        invalid_name{"//speed", 2, no_object},
        invalid_name{"/{node/core#1}/speed", 2, no_object},
        invalid_name{"/{}/speed", 2, no_object},
        invalid_name{"/@x", 2, no_object},
        invalid_name{"/physics{}/speed", 10, no_part},
        invalid_name{"/physics{#1}/speed", 10, no_part},
        invalid_name{"/physics{node/}/speed", 15, no_part},
        invalid_name{"/physics{node/#1}/speed", 15, no_part},
        invalid_name{"/physics{node/core/}/speed", 20, no_part},
        invalid_name{"/physics{node/core/#1}/speed", 20, no_part},
        invalid_name{"/physics{node/core#1/speed", 9, never_closed},
        invalid_name{"/physics{node/core", 9, never_closed},
        invalid_name{"/physics{node#/core#1}/speed", 15, no_index},
        invalid_name{"/physics{node/core#/wrong}/speed/c", 20, no_index},
        invalid_name{"/physics{node/core#}/speed", 20, no_index},
        invalid_name{"/physics{node/core/wrong#}/speed", 26, no_index},
        invalid_name{"/physics{node#x/core}/speed", 15, no_index},
        invalid_name{"/physics{node#-1/core}/speed", 15, no_index},
        invalid_name{"/physics{node/core#x}/speed", 20, no_index},
        invalid_name{"/physics{pool#x/core}/speed", 15, no_index},
        invalid_name{"/physics{node/pool#}/speed", 20, "expected the name of a pool or *"},
        invalid_name{"/physics{node#4294967296}/speed", 15, "expected a number up to 4294967295"},
        invalid_name{"/physics{node#1x/core}/speed", 16, not_between},
        invalid_name{"/physics{node#*5/core}/speed", 16, not_between},
        invalid_name{"/physics{a/b/c#1/d}/speed", 17, not_between},
        invalid_name{"/physics{/core#1}/speed", 15, index_outside},
        invalid_name{"/physics{node}/", 16, no_counter},
        invalid_name{"/physics/@x", 10, no_counter},
        invalid_name{"/physics/speed@", 16, "expected parameters after the @"},
        invalid_name{"/physics{node}speed", 15, "expected / and a counter, or @ and parameters"},
        invalid_name{
            "/physics{node}{node}/speed", 15, "a second instance; expected / and a counter"},
        invalid_name{"/physics/speed{node#0}",
                     15,
                     "the instance comes after the object; expected "
                     "/object{instance}/counter"},
        invalid_name{"/physics#1/speed", 9, index_outside},
        invalid_name{"/physics/speed#1", 15, index_outside},
        invalid_name{"/physics/speed}", 15, closes_nothing}));

INSTANTIATE_TEST_SUITE_P(
    WithoutPartner,
    InvalidCounterName,
    testing::Values(invalid_name{"/phy}sics/speed", 5, closes_nothing},
                    invalid_name{"/physics/speed@a}", 17, closes_nothing},
                    invalid_name{
                        "/physics/speed@a{b",
                        17,
                        "this brace is never closed; expected a } for it, or quotes around it"},
                    invalid_name{"/physics/speed@a,\"b\\\"",
                                 18,
                                 "this quote is never closed; expected another \" for it"},
                    invalid_name{"/phy\"sics\"/speed", 5, quote_outside},
                    invalid_name{"/physics{no\"de\"}/speed", 12, not_between},
                    invalid_name{"/physics{node//core}/speed", 15, no_part},
                    invalid_name{"/physics{node/core//port}/speed", 20, no_part},
                    invalid_name{"/physics{/speed@{a}", 9, never_closed},
                    invalid_name{"/physics{/speed\"}/max", 16, quote_outside}));

TEST(CounterNameErrors, the_mark_stands_below_its_character) {
  EXPECT_THAT([] { static_cast<void>(parse_counter_name("/größe\n#")); },
              ThrowsMessage<weft::error>(HasSubstr("character 8: an index belongs to a part of an "
                                                   "instance; expected it in braces\n"
                                                   "  /größe?#\n"
                                                   "         ^")));
}

TEST(CounterNameErrors, endless_nesting_is_refused) {
  const auto nested = [](int depth) {
    std::string text;
    for (int i = 0; i < depth; ++i) {
      text += "/a{";
    }
    return text + "/a" + std::string(static_cast<std::size_t>(depth), '}');
  };

  EXPECT_EQ(canonical(nested(32)), nested(32));
  EXPECT_THAT([&] { static_cast<void>(parse_counter_name(nested(33))); },
              ThrowsMessage<weft::error>(HasSubstr("at most 32")));
  EXPECT_THROW(static_cast<void>(parse_counter_name(nested(1000))), weft::error);
}

TEST(CounterParameters, are_split_at_commas_outside_braces_and_quotes) {
  EXPECT_THAT(split_parameters(""), IsEmpty());
  EXPECT_THAT(split_parameters("500"), ElementsAre("500"));
  EXPECT_THAT(split_parameters("500,20,"), ElementsAre("500", "20", ""));
  EXPECT_THAT(split_parameters(R"({a,b},"c,d",e"f,g"h)"),
              ElementsAre("{a,b}", "c,d", R"(e"f,g"h)"));
  EXPECT_THAT(split_parameters(R"("a\"b\\c}","",\)"), ElementsAre(R"(a"b\c})", "", "\\"));
}

TEST(CounterParameters, names_with_parameters_are_parameters) {
  const std::vector<std::string> names{"/a{b#1/c}/d@1,2", "/statistics{/e@3,4}/max", "/f@\",\",x"};
  counter_name sum = parse_counter_name("/arithmetics/add");

  sum.parameters = join_parameters(names);

  EXPECT_EQ(to_string(sum),
            R"(/arithmetics/add@"/a{b#1/c}/d@1,2",/statistics{/e@3,4}/max,"/f@\",\",x")");
  EXPECT_EQ(split_parameters(parse_counter_name(to_string(sum)).parameters), names);
}

TEST(CounterParameters, a_brace_or_quote_without_partner_is_marked) {
  EXPECT_THAT([] { static_cast<void>(split_parameters("a,b}")); },
              ThrowsMessage<weft::error>(
                  "counter name, character 4: this brace closes nothing; expected quotes around "
                  "it\n  a,b}\n     ^"));
  EXPECT_THAT([] { static_cast<void>(split_parameters("a,\"b")); },
              ThrowsMessage<weft::error>(HasSubstr("character 3: this quote is never closed")));
  EXPECT_THROW(static_cast<void>(split_parameters("{")), weft::error);
}

TEST(CounterName, without_instance_means_the_total_of_the_first_locality) {
  EXPECT_EQ(to_string(complete(parse_counter_name("/threads/idle-rate@x"))),
            "/threads{locality#0/total}/idle-rate@x");
  EXPECT_EQ(to_string(complete(parse_counter_name("/statistics{/threads/idle-rate}/max"))),
            "/statistics{/threads{locality#0/total}/idle-rate}/max");
  EXPECT_EQ(to_string(complete(parse_counter_name("/threads{locality#1/total}/idle-rate"))),
            "/threads{locality#1/total}/idle-rate");
}

/// Makes names of all shapes from characters that matter to the grammar and some that do not.
class random_names {
 public:
  explicit random_names(std::uint32_t seed) : random_(seed) {}

  counter_name name(int depth = 0) {
    counter_name made{.object = chance(10) ? "counters" : text("ab*.[]-")};
    if (chance(3) && depth < 4) {
      made.base.push_back(name(depth + 1));
    } else if (!chance(3)) {
      made.instance = parts();
    }
    if (!chance(4)) {
      made.counter = text("cd/*?:,");
    }
    if (chance(2)) {
      std::vector<std::string> values;
      for (std::size_t i = below(3) + 1; i > 0; --i) {
        values.push_back(chance(3) && depth < 4 ? to_string(name(depth + 1))
                                                : text("e,{}\"\\#/@ "));
      }
      made.parameters = join_parameters(values);
      EXPECT_EQ(split_parameters(made.parameters), values);
    }
    return made;
  }

 private:
  std::size_t below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
  }
  bool chance(std::size_t one_in) { return below(one_in) == 0; }

  std::string text(std::string_view letters) {
    std::string made;
    for (std::size_t i = below(6) + 1; i > 0; --i) {
      made += letters[below(letters.size())];
    }
    return made;
  }

  std::vector<instance_part> parts() {
    std::vector<instance_part> made;
    for (std::size_t i = below(3) + 1; i > 0; --i) {
      if (made.size() == 1 && chance(3)) {
        made.push_back(pool(text("pq#9@")));
      } else if (chance(3)) {
        made.push_back(part(text("gh@*")));
      } else if (chance(2)) {
        made.push_back(every(text("gh@*")));
      } else {
        made.push_back(numbered(text("gh@*"), static_cast<std::uint32_t>(below(100))));
      }
    }
    return made;
  }

  std::mt19937 random_;
};

TEST(CounterName, random_names_survive_printing_and_parsing) {
  constexpr std::uint32_t seed = 20;
  SCOPED_TRACE(seed);
  random_names random(seed);
  std::size_t num_nested = 0;
  for (int i = 0; i < 5'000; ++i) {
    const counter_name name = random.name();
    const std::string text = to_string(name);

    ASSERT_EQ(parse_counter_name(text), name) << text;
    ASSERT_EQ(canonical(text), text);
    num_nested += name.base.size();
  }
  EXPECT_GT(num_nested, 1000U);
}

/// What a text that parses gives must print, and parse to the same again.
TEST(CounterName, names_with_random_mistakes_are_errors_or_round_trip) {
  constexpr std::uint32_t seed = 21;
  SCOPED_TRACE(seed);
  random_names random(seed);
  std::mt19937 mistakes(seed);
  constexpr std::string_view characters = "/{}#@*\"\\,0a";
  std::size_t num_valid = 0;
  for (int i = 0; i < 5'000; ++i) {
    std::string text = to_string(random.name());
    text[mistakes() % text.size()] = characters[mistakes() % characters.size()];
    try {
      const counter_name name = parse_counter_name(text);
      ++num_valid;
      ASSERT_EQ(parse_counter_name(to_string(name)), name) << text;
    } catch (const weft::error&) {
      continue;
    }
  }
  EXPECT_GT(num_valid, 1000U);
  EXPECT_LT(num_valid, 4'000U);
}

}  // namespace name_test
