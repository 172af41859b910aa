// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem fib: its numbers, its bodies, and its checker.
#include "lab/inncabs/fib/fib.hpp"

#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

#include "lab/inncabs/fib/fib_futures.hpp"
#include "lab/inncabs/fib/fib_groups.hpp"
#include "lab/inncabs/input_class.hpp"
#include "tests/inncabs/inline_runtime.hpp"

namespace weft::lab::inncabs::fib {
namespace fib_test {

using testing::inline_runtime;

TEST(Fib, has_the_numbers_of_the_textbook) {
  EXPECT_EQ(run_serial({.n = 0}), 0U);
  EXPECT_EQ(run_serial({.n = 1}), 1U);
  EXPECT_EQ(run_serial(make_input(input_class::tiny, 1)), 144U);
  EXPECT_EQ(run_serial({.n = 20}), 6765U);
}

TEST(Fib, makes_as_many_tasks_as_calls) {
  EXPECT_EQ(num_tasks({.n = 1}), std::optional<std::uint64_t>(1));
  EXPECT_EQ(num_tasks({.n = 3}), std::optional<std::uint64_t>(5));
  EXPECT_EQ(num_tasks(make_input(input_class::paper, 1)), std::optional<std::uint64_t>(2'692'537));
}

TEST(Fib, bodies_agree_with_calls) {
  const input of = make_input(input_class::tiny, 1);

  EXPECT_EQ(run_futures<inline_runtime>(of, inline_runtime::launch::at_once), run_serial(of));
  EXPECT_EQ(run_groups<inline_runtime>(of), run_serial(of));
}

TEST(Fib, the_check_says_what_is_wrong) {
  EXPECT_EQ(mismatch({.n = 12}, 144), "");
  EXPECT_EQ(mismatch({.n = 12}, 145), "number 12 is 145, expected 144");
}

}  // namespace fib_test
}  // namespace weft::lab::inncabs::fib
