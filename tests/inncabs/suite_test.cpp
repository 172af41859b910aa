// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the suite refuses, skips and counts; that its table is complete and in order.
#include "lab/inncabs/suite.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/harness/errors.hpp"
#include "lab/harness/experiment.hpp"
#include "lab/harness/options.hpp"
#include "lab/inncabs/backend.hpp"
#include "lab/inncabs/backends/offered.hpp"
#include "lab/inncabs/description.hpp"
#include "lab/inncabs/fib/fib.hpp"
#include "lab/inncabs/input_class.hpp"
#include "lab/inncabs/launch_policy.hpp"
#include "lab/inncabs/problem.hpp"
#include "lab/inncabs/row.hpp"
#include "tests/inncabs/inline_runtime.hpp"

namespace weft::lab::inncabs {
namespace suite_test {

using ::testing::HasSubstr;

struct planted_runtime : testing::inline_runtime {
  static std::optional<launch> launch_of(launch_policy which) {
    return which == launch_policy::async ? std::optional(launch::at_once) : std::nullopt;
  }
  static void enter(const auto& body) { body(); }
};

backend planted() {
  return {.name = "planted",
          .bodies = offered_by<planted_runtime>(),
          .has_policy = has_policy<planted_runtime>,
          .libraries = [] { return std::map<std::string, std::string>{}; },
          .with_threads = [](int, void (*body)(void*), void* context) { body(context); }};
}

cell tiny_cell(const std::string& problem) {
  cell made;
  made.problem = problem;
  made.size = 1;
  made.threads = 1;
  return made;
}

std::string refusal_of(const cell& what) {
  const backend with = planted();
  try {
    inncabs_suite(with).check(what);
  } catch (const bad_cell& problem) {
    return problem.field() + ": " + problem.what();
  }
  return "";
}

skip skip_of(const cell& what, const backend& with) {
  return std::get<skip>(inncabs_suite(with).make(what));
}

TEST(InncabsSuite, is_in_alphabetical_order) {
  EXPECT_TRUE(std::ranges::is_sorted(problem_names()));
}

TEST(InncabsSuite, describes_every_problem) {
  for (const auto& each : problems()) {
    const description& about = each->about();
    for (const auto text : {about.computes,
                            about.tasks,
                            about.synchronisation,
                            about.input,
                            about.check,
                            about.source}) {
      EXPECT_FALSE(text.empty()) << about.name;
    }
    EXPECT_EQ(each->scaled(input_class::tiny), "") << about.name << ": tiny is of no study";
  }
}

TEST(InncabsSuite, refuses_unknown_names_with_the_nearest) {
  EXPECT_EQ(refusal_of(tiny_cell("fib")), "");
  EXPECT_THAT(refusal_of(tiny_cell("fibb")), HasSubstr("did you mean \"fib\"?"));

  cell what = tiny_cell("fib");
  what.params["lunch"] = 1;
  EXPECT_THAT(refusal_of(what), HasSubstr("did you mean \"launch\"?"));
  what.params = {{"launch", 4}};
  EXPECT_THAT(refusal_of(what), HasSubstr("launch"));
}

TEST(InncabsSuite, a_size_is_a_class_of_inputs) {
  cell what = tiny_cell("fib");
  what.size = 4;
  EXPECT_THAT(refusal_of(what), HasSubstr("size: size is 4; the suite inncabs takes the classes"));
  what.size = 0;
  EXPECT_THAT(refusal_of(what), HasSubstr("size: size is 0"));
}

TEST(InncabsSuite, its_help_names_the_classes) {
  const backend with = planted();
  const std::string help = help_text("weft_inncabs_planted", inncabs_suite(with));

  EXPECT_THAT(help, HasSubstr("weft_inncabs_planted --problem alignment --size 2 --threads 1,2\n"));
  EXPECT_THAT(help, HasSubstr("  --size N              class of the input: 1 (tiny), 2 (small)"));
  EXPECT_THAT(help, ::testing::Not(HasSubstr("--size 2^20")));
}

TEST(InncabsSuite, knows_one_element_type_and_allocator) {
  cell what = tiny_cell("fib");
  what.type = "int";
  EXPECT_THAT(refusal_of(what), HasSubstr("type: the suite inncabs knows type \"double\" only"));
  what = tiny_cell("fib");
  what.allocator = "first_touch";
  EXPECT_THAT(refusal_of(what), HasSubstr("allocator: the suite inncabs knows"));
}

TEST(InncabsSuite, verifies_and_repeats_every_problem) {
  const backend with = planted();
  const inncabs_suite suite(with);
  for (const std::string& name : suite.problems()) {
    auto made = suite.make(tiny_cell(name));
    auto& subject = *std::get<std::unique_ptr<experiment>>(made);

    EXPECT_EQ(subject.verify().mismatch, "") << name;
    subject.prepare(1);
    subject.run(1);
    EXPECT_EQ(subject.verify().mismatch, "") << name << ", the second time";
  }
}

TEST(InncabsSuite, counts_the_tasks_of_a_call) {
  const backend with = planted();
  const auto made = inncabs_suite(with).make(tiny_cell("fib"));
  EXPECT_EQ(std::get<std::unique_ptr<experiment>>(made)->num_tasks(),
            std::optional<std::uint64_t>(465));
}

TEST(InncabsSuite, holds_a_search_to_a_number_of_tasks) {
  const backend with = planted();
  cell what = tiny_cell("qap");
  what.params["max_tasks"] = 5;
  ASSERT_EQ(refusal_of(what), "");
  const auto made = inncabs_suite(with).make(what);
  auto& subject = *std::get<std::unique_ptr<experiment>>(made);
  EXPECT_EQ(subject.num_nodes(), std::nullopt) << "nothing was searched yet";

  EXPECT_EQ(subject.verify().mismatch, "");

  EXPECT_LE(subject.num_nodes().value(), 5U);
  what.problem = "fib";
  EXPECT_THAT(refusal_of(what), HasSubstr("max_tasks"));
}

TEST(InncabsSuite, offers_the_task_graph_of_the_study) {
  const backend with = planted();
  const inncabs_suite suite(with);
  const auto num_tasks = [&](const cell& what) {
    const auto made = suite.make(what);
    auto& subject = *std::get<std::unique_ptr<experiment>>(made);
    EXPECT_EQ(subject.verify().mismatch, "");
    return subject.num_tasks().value();
  };
  cell what = tiny_cell("sparselu");
  const std::uint64_t of_all_factors = num_tasks(what);

  what.params["original_graph"] = 1;
  ASSERT_EQ(refusal_of(what), "");

  EXPECT_LT(num_tasks(what), of_all_factors);
  what.problem = "strassen";
  EXPECT_THAT(refusal_of(what), HasSubstr("original_graph"));
}

TEST(InncabsSuite, skips_policies_that_the_runtime_has_not) {
  cell what = tiny_cell("fib");
  what.params["launch"] = 3;
  const skip found = skip_of(what, planted());
  EXPECT_EQ(found.code, "not_offered");
  EXPECT_EQ(found.message, "runtime planted has no launch policy fork");
  EXPECT_EQ(found.remedy, "ask for launch=0 (async)");
}

TEST(InncabsSuite, skips_more_tasks_than_the_runtime_survives) {
  backend with = planted();
  with.limit = {.max_tasks = 464, .reason = "a reason"};
  EXPECT_THAT(skip_of(tiny_cell("fib"), with).message,
              HasSubstr("one call makes 465 tasks; planted is run with at most 464: a reason"));
}

TEST(InncabsSuite, tries_more_tasks_than_are_surely_survived) {
  static std::atomic<std::uint64_t> tasks_started{1};
  backend with = planted();
  with.limit = {.max_tasks = 464, .reason = "a reason"};
  with.tasks_started = &tasks_started;

  const auto made = inncabs_suite(with).make(tiny_cell("fib"));

  EXPECT_TRUE(std::holds_alternative<std::unique_ptr<experiment>>(made));
  EXPECT_EQ(tasks_started.load(), 0U) << "is counted from zero";
}

TEST(InncabsSuite, says_how_the_runtime_failed) {
  static std::atomic<std::uint64_t> tasks_started{0};
  backend with = planted();
  with.limit = {.max_tasks = 464, .reason = "every task is a thread"};
  with.tasks_started = &tasks_started;
  const body_of<fib::input> fails = [](const fib::input&, launch_policy) -> fib::result {
    throw std::runtime_error("no thread left");
  };
  with.bodies[index_of_problem("fib")] = fails;

  const skip found = skip_of(tiny_cell("fib"), with);

  EXPECT_EQ(found.code, "unsupported");
  EXPECT_EQ(found.message,
            "planted failed after it had started 0 of 465 tasks, in a process of its own: it "
            "threw: no thread left; every task is a thread");
}

}  // namespace suite_test
}  // namespace weft::lab::inncabs
