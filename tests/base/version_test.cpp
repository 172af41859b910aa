// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The version's text and its numbers are the same.
#include "weft/version.hpp"

#include <string>

#include <gtest/gtest.h>

#if WEFT_VERSION < WEFT_VERSION_NUMBER(0, 1, 0)
#error the preprocessor cannot compare versions
#endif

namespace {

TEST(Version, text_and_numbers_agree) {
  EXPECT_EQ(WEFT_VERSION_STRING,
            std::to_string(WEFT_VERSION_MAJOR) + "." + std::to_string(WEFT_VERSION_MINOR) + "." +
                std::to_string(WEFT_VERSION_PATCH));
}

TEST(Version, is_ordered_as_versions_are) {
  EXPECT_LT(WEFT_VERSION_NUMBER(0, 9, 9), WEFT_VERSION_NUMBER(0, 10, 0));
  EXPECT_LT(WEFT_VERSION_NUMBER(0, 99, 99), WEFT_VERSION_NUMBER(1, 0, 0));
  EXPECT_EQ(WEFT_VERSION / 10000, WEFT_VERSION_MAJOR);
}

}  // namespace
