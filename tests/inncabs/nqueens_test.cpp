// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem nqueens: published numbers, its bodies, whole boards, and its checker.
#include "lab/inncabs/nqueens/nqueens.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/inncabs/input_class.hpp"
#include "lab/inncabs/nqueens/nqueens_futures.hpp"
#include "lab/inncabs/nqueens/nqueens_groups.hpp"
#include "lab/tasks/bodies/queens_board.hpp"
#include "tests/inncabs/inline_runtime.hpp"

namespace weft::lab::inncabs::nqueens {
namespace nqueens_test {

using testing::inline_runtime;
using ::testing::StartsWith;

TEST(NQueens, finds_the_published_number_of_solutions) {
  for (std::size_t n = 1; n <= 10; ++n) {
    EXPECT_EQ(mismatch({.n = n}, run_serial({.n = n})), "") << n;
  }
}

TEST(NQueens, makes_a_task_for_each_safe_placement) {
  // None, two queens alone in the first row: they attack all of the second.
  EXPECT_EQ(num_tasks({.n = 2}), std::optional<std::uint64_t>(3));
  EXPECT_EQ(num_tasks(make_input(input_class::tiny, 1)), std::optional<std::uint64_t>(2057));
}

TEST(NQueens, bodies_agree_with_calls) {
  const input of = make_input(input_class::tiny, 1);

  EXPECT_EQ(run_futures<inline_runtime>(of, inline_runtime::launch::at_once), run_serial(of));
  EXPECT_EQ(run_groups<inline_runtime>(of), run_serial(of));
}

TEST(NQueens, a_board_counts_only_if_no_queen_attacks_another) {
  tasks::queens_board right{.columns = {1, 3, 0, 2}, .row = 4};
  EXPECT_EQ(counted(right).num_solutions, 1U);

  tasks::queens_board wrong_in_the_middle{.columns = {1, 2, 0, 3}, .row = 4};
  EXPECT_EQ(counted(wrong_in_the_middle).num_solutions, 0U);
  tasks::queens_board same_column{.columns = {1, 3, 1, 3}, .row = 4};
  EXPECT_EQ(counted(same_column).num_solutions, 0U);
}

TEST(NQueens, the_check_says_what_is_wrong) {
  const input of = make_input(input_class::tiny, 1);
  result found = run_serial(of);

  --found.num_solutions;
  EXPECT_EQ(mismatch(of, found), "91 solutions for 8 queens, published are 92");

  found = run_serial(of);
  ++found.fingerprint;
  EXPECT_THAT(mismatch(of, found), StartsWith("other boards than expected: 92 solutions"));
}

}  // namespace nqueens_test
}  // namespace weft::lab::inncabs::nqueens
