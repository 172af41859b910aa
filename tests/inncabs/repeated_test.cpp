// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every problem a hundred times with four times as many workers as there are cores.
#include <gtest/gtest.h>

#include "lab/inncabs/problem.hpp"
#include "tests/inncabs/verified_cells.hpp"

namespace weft::lab::inncabs {
namespace repeated_test {

TEST(InncabsRepeated, answers_rightly_a_hundred_times) {
  for (int i = 0; i < 100 && !HasFailure(); ++i) {
    EXPECT_EQ(testing::verify_all({.threads = testing::four_times_the_cores()}), problems().size());
  }
}

}  // namespace repeated_test
}  // namespace weft::lab::inncabs
