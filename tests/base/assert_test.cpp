// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Broken assertions reach the handler, which may throw; the default ends the program and says why.
#define WEFT_ENABLE_ASSERTIONS
#include "weft/base/assert.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

namespace assert_test {

[[noreturn]] void throw_message(const weft::broken_assertion& broken) {
  throw std::logic_error(broken.message);
}

TEST(Assert, a_handler_may_throw) {
  const weft::assert_handler before = weft::set_assert_handler(throw_message);

  EXPECT_THROW(WEFT_ASSERT(1 + 1 == 3, "sums are wrong"), std::logic_error);
  EXPECT_NO_THROW(WEFT_ASSERT(1 + 1 == 2, "sums are wrong"));

  EXPECT_EQ(weft::set_assert_handler(before), throw_message);
}

TEST(AssertDeathTest, the_default_names_place_condition_and_message) {
  weft::set_assert_handler(nullptr);
  EXPECT_DEATH(WEFT_ASSERT(1 + 1 == 3, "sums are wrong"),
               "assert_test.cpp:.*sums are wrong.*1 \\+ 1 == 3 does not hold");
}

}  // namespace assert_test
