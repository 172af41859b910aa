// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about the error for data that cannot be read.
#include "weft/distributed/archive_error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/error.hpp"

namespace archive_error_test {

using testing::HasSubstr;

TEST(ArchiveError, the_message_names_byte_and_expectation) {
  const weft::distributed::archive_error found(12, "8 bytes of a number");

  EXPECT_EQ(found.offset_bytes(), 12U);
  EXPECT_EQ(found.get_error(), weft::errc::invalid_data);
  EXPECT_THAT(found.what(), HasSubstr("expected 8 bytes of a number at byte 12"));
}

}  // namespace archive_error_test
