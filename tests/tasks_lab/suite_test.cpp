// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the suite refuses, skips and counts.
#include "lab/tasks/suite.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/harness/errors.hpp"
#include "lab/harness/experiment.hpp"
#include "lab/tasks/backend.hpp"
#include "lab/tasks/operations.hpp"
#include "tasks_lab/support/inline_runtime.hpp"

namespace weft::lab::tasks {
namespace suite_test {

using testing::backend_with;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::right_answers;
using testing::small_cell;

std::string refusal_of(const cell& what) {
  const backend with = backend_with(right_answers());
  try {
    task_suite(with).check(what);
  } catch (const bad_cell& problem) {
    return problem.field() + ": " + problem.what();
  }
  return "";
}

std::uint64_t tasks_of(const cell& what) {
  const backend with = backend_with(right_answers());
  const auto made = task_suite(with).make(what);
  return std::get<std::unique_ptr<experiment>>(made)->num_tasks().value_or(0);
}

cell with_size(const std::string& problem, std::size_t size) {
  cell made = small_cell(problem);
  made.size = size;
  return made;
}

skip skip_of(const cell& what, const backend& with) {
  return std::get<skip>(task_suite(with).make(what));
}

TEST(TaskSuite, counts_the_tasks_of_a_call) {
  EXPECT_EQ(tasks_of(with_size("fib", 20)), 21891U);
  EXPECT_EQ(tasks_of(with_size("skynet", 1000)), 1111U);
  EXPECT_EQ(tasks_of(with_size("nqueens", 1)), 2U);
  EXPECT_EQ(tasks_of(with_size("matmul", 128)), 73U);
  EXPECT_EQ(tasks_of(with_size("sort", 2048)), 1U);
  EXPECT_EQ(tasks_of(with_size("sort", 4096)), 8U);
}

TEST(TaskSuite, a_sample_of_a_micro_problem_enters_the_runtime_once) {
  static std::vector<std::uint64_t> calls_asked;
  operations rows = right_answers();
  rows.empty_fork = rows.fork_from_main = [](const request& what) {
    calls_asked.push_back(what.calls);
    return 2 * what.size * what.calls;
  };
  const backend with = backend_with(rows);
  const auto calls_of_a_sample = [&](const std::string& problem) {
    auto made = task_suite(with).make(small_cell(problem));
    calls_asked.clear();
    std::get<std::unique_ptr<experiment>>(made)->run(5);
    return calls_asked;
  };

  EXPECT_THAT(calls_of_a_sample("empty_fork"), ElementsAre(5U));
  EXPECT_THAT(calls_of_a_sample("fork_from_main"), ElementsAre(1U, 1U, 1U, 1U, 1U));
}

TEST(TaskSuite, names_the_sizes_a_problem_takes) {
  EXPECT_THAT(refusal_of(with_size("fib", 51)), HasSubstr("size: size is 51; fib takes n from 1"));
  EXPECT_THAT(refusal_of(with_size("skynet", 999)), HasSubstr("a power of ten"));
  EXPECT_THAT(refusal_of(with_size("matmul", 100)), HasSubstr("a power of two"));
}

TEST(TaskSuite, refuses_unknown_names_with_the_nearest) {
  cell what = small_cell("fib");
  what.problem = "fibb";
  EXPECT_THAT(refusal_of(what), HasSubstr("did you mean \"fib\"?"));
  what = small_cell("grain");
  what.params["stepz"] = 1;
  EXPECT_THAT(refusal_of(what), HasSubstr("did you mean \"steps\"?"));
  what = small_cell("fib");
  what.params["steps"] = 1;
  EXPECT_THAT(refusal_of(what), HasSubstr("fib has no parameter"));
}

TEST(TaskSuite, knows_one_element_type) {
  cell what = small_cell("sort");
  what.type = "int";
  EXPECT_THAT(refusal_of(what), HasSubstr("type: the suite tasks knows type \"double\" only"));
}

TEST(TaskSuite, skips_what_the_runtime_does_not_offer) {
  operations rows = right_answers();
  rows.channel = nullptr;
  const skip found = skip_of(small_cell("channel"), backend_with(rows));
  EXPECT_EQ(found.code, "not_offered");
  EXPECT_THAT(found.message, HasSubstr("runtime planted has nothing for channel"));
}

TEST(TaskSuite, skips_more_tasks_than_the_runtime_survives) {
  backend with = backend_with(right_answers());
  with.limit = {.max_tasks = 464, .reason = "a reason"};
  const skip found = skip_of(small_cell("fib"), with);
  EXPECT_EQ(found.code, "unsupported");
  EXPECT_THAT(found.message, HasSubstr("one call makes 465 tasks"));
  EXPECT_THAT(found.message, HasSubstr("at most 464: a reason"));
}

TEST(TaskSuite, skips_waking_a_second_thread_where_there_is_one) {
  const skip found = skip_of(small_cell("wake_parked", 1), backend_with(right_answers()));
  EXPECT_THAT(found.message, HasSubstr("wake_parked needs 2 threads"));
}

}  // namespace suite_test
}  // namespace weft::lab::tasks
