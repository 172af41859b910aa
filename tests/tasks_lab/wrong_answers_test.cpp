// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Planted mistakes: every checker reports each of them, and where.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/tasks/operations.hpp"
#include "lab/tasks/uts_tree.hpp"
#include "tasks_lab/support/inline_runtime.hpp"

namespace weft::lab::tasks {
namespace wrong_answers_test {

using testing::backend_with;
using ::testing::HasSubstr;
using testing::mismatch_of;
using testing::right_answers;
using testing::small_cell;

/// A mistake, and what the checker must say of it; `plant` gets right operations and spoils one.
struct mistake {
  std::string name;
  std::string problem;
  std::string message;
  void (*plant)(operations& rows);

  friend std::ostream& operator<<(std::ostream& out, const mistake& what) {
    return out << what.name;
  }
};

class WrongAnswer : public ::testing::TestWithParam<mistake> {};

TEST_P(WrongAnswer, is_reported) {
  operations rows = right_answers();
  ASSERT_EQ(mismatch_of(small_cell(GetParam().problem), backend_with(rows)), "");

  GetParam().plant(rows);

  EXPECT_THAT(mismatch_of(small_cell(GetParam().problem), backend_with(rows)),
              HasSubstr(GetParam().message));
}

constexpr numeric_operation one_too_few = [](const request& what) { return what.size - 1; };

/// The member of every numeric problem, and the right answer to its small cell.
std::vector<mistake> numeric_mistakes() {
  return {
      {"fib", "fib", "expected 144", [](operations& rows) { rows.fib = one_too_few; }},
      {"skynet", "skynet", "expected 499500", [](operations& rows) { rows.skynet = one_too_few; }},
      {"nqueens", "nqueens", "expected 40", [](operations& rows) { rows.nqueens = one_too_few; }},
      {"grain", "grain", "the answer is 9", [](operations& rows) { rows.grain = one_too_few; }},
      {"idle",
       "idle",
       "before the rest is 999",
       [](operations& rows) { rows.grain = one_too_few; }},
      {"empty_fork",
       "empty_fork",
       "expected 20",
       [](operations& rows) { rows.empty_fork = one_too_few; }},
      {"async_get",
       "async_get",
       "expected 45",
       [](operations& rows) { rows.async_get = one_too_few; }},
      {"then_chain",
       "then_chain",
       "expected 10",
       [](operations& rows) { rows.then_chain = one_too_few; }},
      {"when_all",
       "when_all",
       "expected 45",
       [](operations& rows) { rows.when_all = one_too_few; }},
      {"suspend_resume",
       "suspend_resume",
       "expected 10",
       [](operations& rows) { rows.suspend_resume = one_too_few; }},
      {"mutex", "mutex", "expected 100", [](operations& rows) { rows.mutex = one_too_few; }},
      {"channel", "channel", "expected 4950", [](operations& rows) { rows.channel = one_too_few; }},
      {"yield", "yield", "expected 10", [](operations& rows) { rows.yield = one_too_few; }},
      {"region", "region", "expected 10", [](operations& rows) { rows.region = one_too_few; }},
      {"fork_from_main",
       "fork_from_main",
       "expected 6",
       [](operations& rows) { rows.fork_from_main = one_too_few; }},
      {"region_from_main",
       "region_from_main",
       "expected 6",
       [](operations& rows) { rows.region_from_main = one_too_few; }},
      {"wake_searching",
       "wake_searching",
       "expected 6",
       [](operations& rows) { rows.wake = one_too_few; }},
      {"wake_parked", "wake_parked", "expected 2", [](operations& rows) {
         rows.wake = one_too_few;
       }}};
}

/// Operations that answer one call only, however many they are asked for.
template <numeric_operation operations::* operation>
void leave_calls_out(operations& rows) {
  static const numeric_operation right = rows.*operation;
  rows.*operation = [](const request& what) {
    request one = what;
    one.calls = 1;
    return right(one);
  };
}

std::vector<mistake> calls_left_out() {
  return {
      {"async_get", "async_get", "the sum of 2 answers", leave_calls_out<&operations::async_get>},
      {"channel", "channel", "the sum of 2 answers", leave_calls_out<&operations::channel>},
      {"empty_fork",
       "empty_fork",
       "the sum of 2 answers is 20, expected 40",
       leave_calls_out<&operations::empty_fork>},
      {"mutex", "mutex", "the sum of 2 answers", leave_calls_out<&operations::mutex>},
      {"region", "region", "the sum of 2 answers", leave_calls_out<&operations::region>},
      {"suspend_resume",
       "suspend_resume",
       "the sum of 2 answers",
       leave_calls_out<&operations::suspend_resume>},
      {"then_chain",
       "then_chain",
       "the sum of 2 answers",
       leave_calls_out<&operations::then_chain>},
      {"wake_searching",
       "wake_searching",
       "the sum of 2 answers",
       leave_calls_out<&operations::wake>},
      {"when_all", "when_all", "the sum of 2 answers", leave_calls_out<&operations::when_all>},
      {"yield", "yield", "the sum of 2 answers", leave_calls_out<&operations::yield>}};
}

std::vector<mistake> other_mistakes() {
  return {{"integrate_misses_a_millionth",
           "integrate",
           "expected 0.75",
           [](operations& rows) { rows.integrate = [](double) { return 0.75 * (1 + 1e-6); }; }},
          {"integrate_is_not_a_number",
           "integrate",
           "the area is nan",
           [](operations& rows) {
             rows.integrate = [](double) { return std::numeric_limits<double>::quiet_NaN(); };
           }},
          {"uts_loses_a_leaf",
           "uts",
           "the tree has 4130070 nodes",
           [](operations& rows) {
             rows.uts = [](const uts_tree& shape) {
               tree_counts counts = shape.published;
               --counts.nodes;
               return counts;
             };
           }},
          {"matmul_writes_nothing",
           "matmul",
           "element (0, 0) is -1",
           [](operations& rows) {
             rows.matmul = [](const double*, const double*, double*, std::size_t) {};
           }},
          {"matmul_spoils_the_last_element",
           "matmul",
           "element (127, 127) is",
           [](operations& rows) {
             rows.matmul = [](const double* a, const double* b, double* c, std::size_t n) {
               right_answers().matmul(a, b, c, n);
               c[n * n - 1] += 1;
             };
           }},
          {"sort_does_nothing",
           "sort",
           "expected 1.0",
           [](operations& rows) { rows.sort = [](double*, double*, double*) {}; }},
          {"sort_swaps_two",
           "sort",
           "element 10000 is 10002",
           [](operations& rows) {
             rows.sort = [](double* first, double* last, double*) {
               std::sort(first, last);
               std::swap(first[10000], first[10001]);
             };
           }},
          {"sort_loses_one_of_two", "sort", "element 1 is 1.0", [](operations& rows) {
             rows.sort = [](double* first, double* last, double*) {
               std::sort(first, last);
               first[1] = first[0];
             };
           }}};
}

std::string name_of(const ::testing::TestParamInfo<mistake>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(numeric, WrongAnswer, ::testing::ValuesIn(numeric_mistakes()), name_of);
INSTANTIATE_TEST_SUITE_P(calls_left_out,
                         WrongAnswer,
                         ::testing::ValuesIn(calls_left_out()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(other, WrongAnswer, ::testing::ValuesIn(other_mistakes()), name_of);

}  // namespace wrong_answers_test
}  // namespace weft::lab::tasks
