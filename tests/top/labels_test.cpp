// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about what tasks are called.
#include "top/labels.hpp"

#include <gtest/gtest.h>

namespace {

using weft::top::readable_label;

TEST(ReadableLabel, is_the_lambda_that_was_forked) {
  EXPECT_EQ(readable_label("weft::tasks::detail::forked<(anonymous namespace)::fib(int)::"
                           "{lambda()#2}>::run_stolen(weft::tasks::detail::task&)"),
            "fib(int)::{lambda()#2}");
}

TEST(ReadableLabel, is_found_within_templates_of_the_library) {
  EXPECT_EQ(readable_label("weft::tasks::detail::posted<int, std::tuple<weft::tasks::detail::all<"
                           "main::{lambda(int)#1}>, int> >::run(weft::tasks::detail::task&)"),
            "main::{lambda(int)#1}");
}

TEST(ReadableLabel, with_arrows_and_commas_is_whole) {
  EXPECT_EQ(readable_label("weft::tasks::detail::forked<auto f(std::map<int, int>)->int::"
                           "{lambda()#1}>::run(weft::tasks::detail::task&)"),
            "auto f(std::map<int, int>)->int::{lambda()#1}");
}

TEST(ReadableLabel, of_other_functions_is_their_name) {
  EXPECT_EQ(readable_label("solver::step(double)"), "solver::step(double)");
  EXPECT_EQ(readable_label("weft::tasks::detail::loop(void*)"), "weft::tasks::detail::loop(void*)");
  EXPECT_EQ(readable_label("weft::tasks::detail::broken<"), "weft::tasks::detail::broken<");
  EXPECT_EQ(readable_label(""), "");
}

}  // namespace
