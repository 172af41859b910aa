// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about arithmetic between counters.
#include "counters/families/arithmetics.hpp"

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/error.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"
#include "weft/counters/session.hpp"

#include "counters/fake_family.hpp"
#include "counters/families/builtin.hpp"
#include "counters/families/exact_number.hpp"
#include "counters/families/statistics.hpp"

namespace arithmetics_test {

using testing::HasSubstr;
using testing::ThrowsMessage;
using weft::counters::counter;
using weft::counters::counter_family;
using weft::counters::counter_kind;
using weft::counters::counter_name;
using weft::counters::counter_type;
using weft::counters::counter_value;
using weft::counters::evaluation;
using weft::counters::parse_counter_name;
using weft::counters::registration;
using weft::counters::registry;
using weft::counters::sampling;
using weft::counters::session;
using weft_test::fake_family;

/// A registry with arithmetic and with totals /a/x and /a/y in ns and /b/z in bytes.
class Arithmetics : public testing::Test {
 protected:
  Arithmetics() {
    using namespace weft::counters::detail;
    add_families(counters, kept, arithmetic_families(counters));
    add_families(counters, kept, statistics_families(counters));
    z.unit = "bytes";
    for (fake_family* each : {&x, &y, &z}) {
      kept.push_back(counters.add(each->family()));
    }
  }

  void set(std::int64_t of_x, std::int64_t of_y) {
    x.numbers[0] = of_x;
    y.numbers[0] = of_y;
  }

  [[nodiscard]] counter_value value(std::string_view name) const {
    evaluation now;
    return counters.make(parse_counter_name(name))->evaluate(now);
  }
  [[nodiscard]] double real(std::string_view name) const {
    const counter_value read = value(name);
    return read.value ? std::get<double>(*read.value) : throw weft::error(read.reason);
  }
  [[nodiscard]] std::int64_t whole(std::string_view name) const {
    const counter_value read = value(name);
    return read.value ? std::get<std::int64_t>(*read.value) : throw weft::error(read.reason);
  }
  [[nodiscard]] counter_type type(std::string_view name) const {
    return counters.type_of(parse_counter_name(name));
  }
  void expect_error(std::string_view name, const std::string& message) const {
    EXPECT_THAT([&] { static_cast<void>(counters.make(parse_counter_name(name))); },
                ThrowsMessage<weft::error>(HasSubstr(message)));
  }

  registry counters;
  fake_family x{"/a/x",
                {"locality#0/total",
                 "locality#0/pool#default/worker-thread#0",
                 "locality#0/pool#default/worker-thread#1"}};
  fake_family y{"/a/y", {"locality#0/total"}};
  fake_family z{"/b/z", {"locality#0/total"}};
  std::vector<registration> kept;
};

TEST_F(Arithmetics, whole_numbers_stay_whole) {
  set(7, 12);

  EXPECT_EQ(whole("/arithmetics/add@/a/x,/a/y"), 19);
  EXPECT_EQ(whole("/arithmetics/subtract@/a/x,/a/y"), -5);
  EXPECT_EQ(whole("/arithmetics/subtract@/a/y,/a/x,1,1"), 3);
  EXPECT_EQ(whole("/arithmetics/multiply@/a/x,/a/y"), 84);
  EXPECT_EQ(whole("/arithmetics/min@/a/x,/a/y"), 7);
  EXPECT_EQ(whole("/arithmetics/max@/a/x,/a/y"), 12);
  EXPECT_EQ(whole("/arithmetics/median@/a/x,/a/y,100"), 12);
  EXPECT_EQ(whole("/arithmetics/count@/a/x,/a/y,/a/x"), 3);
  EXPECT_EQ(whole("/arithmetics/add@/a/x,/a/x"), 14);
}

TEST_F(Arithmetics, quotients_and_moments_are_real) {
  set(7, 12);

  EXPECT_EQ(real("/arithmetics/divide@/a/x,/a/y"), 7.0 / 12.0);
  EXPECT_EQ(real("/arithmetics/divide@/a/y,2,4"), 1.5);
  EXPECT_EQ(real("/arithmetics/mean@/a/x,/a/y"), 9.5);
  EXPECT_EQ(real("/arithmetics/variance@/a/x,/a/y"), 6.25);
  EXPECT_EQ(real("/arithmetics/variance@2,4,4,4,5,5,7,9"), 4.0);
  EXPECT_EQ(real("/arithmetics/median@/a/x,/a/y"), 9.5);
  EXPECT_EQ(real("/arithmetics/add@/a/x,0.5"), 7.5);
}

TEST_F(Arithmetics, large_numbers_keep_all_their_digits) {
  constexpr std::int64_t large = (std::int64_t{1} << 62) + 1;
  set(large, -3);

  EXPECT_EQ(whole("/arithmetics/add@/a/x,/a/y"), large - 3);
  EXPECT_EQ(whole("/arithmetics/subtract@/a/x,/a/y"), large + 3);
  EXPECT_EQ(whole("/arithmetics/max@/a/x,4611686018427387904"), large);
  EXPECT_EQ(whole("/arithmetics/median@/a/x,/a/x,/a/y"), large);
  EXPECT_EQ(real("/arithmetics/add@/a/x,/a/x"), std::ldexp(1, 63));
}

TEST_F(Arithmetics, division_by_zero_has_a_reason) {
  set(7, 0);

  const counter_value read = value("/arithmetics/divide@/a/x,/a/y");
  EXPECT_EQ(read.value, std::nullopt);
  EXPECT_EQ(read.reason, "division by zero: operand /a{locality#0/total}/y is 0");
  EXPECT_EQ(real("/arithmetics/divide@/a/y,/a/x"), 0);
}

TEST_F(Arithmetics, results_beyond_numbers_have_a_reason) {
  EXPECT_THAT(value("/arithmetics/multiply@1e300,1e300").reason, HasSubstr("inf, which is not"));
}

TEST_F(Arithmetics, operands_without_value_make_the_result_unavailable) {
  kept.pop_back();
  kept.pop_back();  // y
  fake_family broken("/a/y", {"locality#0/total"});
  broken.on_read = [] { throw weft::error("the kernel forbids it"); };
  kept.push_back(counters.add(broken.family()));

  const counter_value read = value("/arithmetics/add@/a/x,/a/y");
  EXPECT_EQ(read.value, std::nullopt);
  EXPECT_EQ(read.reason, "operand /a{locality#0/total}/y: the kernel forbids it");
  kept.pop_back();
}

TEST_F(Arithmetics, resets_reach_the_operands) {
  set(7, 12);
  const std::vector<std::string> names{"/arithmetics/add@/a/x,/a/y"};
  session first(names, counters);
  session second(names, counters);

  set(8, 14);
  EXPECT_EQ(first.evaluate().number_of(names[0]), 3);
  first.reset();
  set(9, 14);
  EXPECT_EQ(first.evaluate().number_of(names[0]), 1);
  EXPECT_EQ(second.evaluate().number_of(names[0]), 4);
}

TEST_F(Arithmetics, wildcards_are_expanded_in_place_and_grow) {
  const std::string name = "/arithmetics/subtract@/a/y,/a{locality#0/worker-thread#*}/x";
  set(0, 100);
  x.numbers = {0, 10, 20};
  EXPECT_EQ(whole(name), 70);
  EXPECT_EQ(whole("/arithmetics/count@/a/*"), 2);

  session reader(std::vector{name}, counters);
  x.instances.emplace_back("locality#0/pool#default/worker-thread#2");
  x.numbers = {0, 10, 20, 30};
  EXPECT_EQ(reader.evaluate().values.at(0).value.value, counter_value::number(std::int64_t{-30}));
  x.instances.pop_back();
  EXPECT_EQ(reader.evaluate().values.at(0).value.reason,
            "operand /a{locality#0/pool#default/worker-thread#2}/x: this counter is no longer "
            "there");
}

TEST_F(Arithmetics, they_nest) {
  set(7, 12);

  EXPECT_EQ(whole("/arithmetics/multiply@/arithmetics/add@/a/x,1,2"), 14);
  EXPECT_EQ(whole("/arithmetics/multiply@\"/arithmetics/add@/a/x,1\",2"), 16);
}

TEST_F(Arithmetics, units_are_carried) {
  EXPECT_EQ(type("/arithmetics/add@/a/x,/a/y").unit, "ns");
  EXPECT_EQ(type("/arithmetics/add@/a/x,5").unit, "ns");
  EXPECT_EQ(type("/arithmetics/mean@5,/a/x").unit, "ns");
  EXPECT_EQ(type("/arithmetics/variance@/a/x,/a/y").unit, "ns^2");
  EXPECT_EQ(type("/arithmetics/multiply@/a/x,/b/z").unit, "ns*bytes");
  EXPECT_EQ(type("/arithmetics/divide@/a/x,/a/y").unit, "");
  EXPECT_EQ(type("/arithmetics/divide@/b/z,/a/y").unit, "bytes/ns");
  EXPECT_EQ(type("/arithmetics/divide@1,/a/y").unit, "1/ns");
  EXPECT_EQ(type("/arithmetics/count@/b/z,/a/y").unit, "");
  EXPECT_EQ(session(std::vector<std::string>{"/arithmetics/divide@/b/z,/a/x"}, counters)
                .evaluate()
                .values.at(0)
                .unit,
            "bytes/ns");
}

TEST_F(Arithmetics, only_a_sum_of_totals_is_a_total) {
  EXPECT_EQ(type("/arithmetics/add@/a/x,/a/y").kind, counter_kind::total);
  EXPECT_EQ(type("/arithmetics/subtract@/a/x,/a/y").kind, counter_kind::quotient);
  EXPECT_EQ(type("/arithmetics/add@/a/x,5").kind, counter_kind::quotient);
  EXPECT_EQ(type("/arithmetics/add@4,5").kind, counter_kind::gauge);
  EXPECT_EQ(type("/arithmetics/count@/a/x").kind, counter_kind::gauge);
}

TEST_F(Arithmetics, wrong_operands_are_errors) {
  expect_error("/arithmetics/add", "needs operands");
  expect_error("/arithmetics/add@", "expected");
  expect_error("/arithmetics/add@/a/x,/b/z",
               "operands of different units: /a/x in \"ns\" and /b/z in \"bytes\"");
  expect_error("/arithmetics/subtract@/a/x", "needs 2 operands or more, but has 1");
  expect_error("/arithmetics/add@/a/x,five", "\"five\" is neither a number nor the name");
  expect_error("/arithmetics/add@/a/x,nan", "\"nan\" is neither a number nor the name");
  expect_error("/arithmetics/add@/a/x,/a/w", "there is no counter /a/w; did you mean /a/x?");
  expect_error("/arithmetics/sum@/a/x", "there is no counter /arithmetics/sum");
  EXPECT_THAT([&] { session(std::vector<std::string>{"/arithmetics/*"}, counters); },
              ThrowsMessage<weft::error>(HasSubstr("needs operands")));
}

TEST_F(Arithmetics, a_wildcard_for_everything_leaves_them_out) {
  EXPECT_EQ(session(std::vector<std::string>{"/*"}, counters).names().size(), 5U);
}

/// A counter whose value is an estimate.
class estimated_counter final : public counter {
 public:
  estimated_counter(double number, double half_width) : number_(number), half_width_(half_width) {}
  counter_value evaluate(evaluation& /*now*/) override {
    return {.value = number_,
            .reason = {},
            .sampled = sampling{.one_in = 64, .num_samples = 10, .half_width = half_width_}};
  }
  void reset(evaluation& /*now*/) override {}

 private:
  double number_;
  double half_width_;
};

counter_family estimates(std::string name, double number, double half_width) {
  counter_family family;
  family.type = {.name = std::move(name), .unit = "", .help = "", .kind = counter_kind::gauge};
  const counter_name type = parse_counter_name(family.type.name);
  family.instances = [type] { return std::vector{weft::counters::complete(type)}; };
  family.make = [=](const counter_name& /*name*/) {
    return std::make_unique<estimated_counter>(number, half_width);
  };
  return family;
}

TEST_F(Arithmetics, errors_of_estimates_are_carried) {
  kept.push_back(counters.add(estimates("/e/a", 100, 3)));
  kept.push_back(counters.add(estimates("/e/b", 50, 4)));

  const counter_value sum = value("/arithmetics/add@/e/a,/e/b,7");
  EXPECT_EQ(sum.sampled, (sampling{.one_in = 64, .num_samples = 20, .half_width = 5}));
  const counter_value product = value("/arithmetics/multiply@/e/a,2");
  EXPECT_EQ(product.sampled, (sampling{.one_in = 64, .num_samples = 10, .half_width = 6}));
  EXPECT_EQ(value("/arithmetics/add@/a/x,2").sampled, std::nullopt);
}

TEST(ExactNumber, medians_are_exact) {
  using weft::counters::detail::exact_number;
  using weft::counters::detail::median_of;
  constexpr std::int64_t large = std::int64_t{1} << 62;

  EXPECT_EQ(median_of({exact_number(3.0)}), exact_number(3.0));
  EXPECT_EQ(median_of({std::int64_t{9}, std::int64_t{1}, std::int64_t{5}}),
            exact_number(std::int64_t{5}));
  EXPECT_EQ(median_of({large + 3, large + 1 - large, large + 1, large - large}),
            exact_number(large / 2 + 1));
  EXPECT_EQ(median_of({std::int64_t{1}, std::int64_t{2}}), exact_number(1.5));
  EXPECT_EQ(median_of({large, large + 2}), exact_number(std::ldexp(1, 62)));
}

}  // namespace arithmetics_test
