// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The message sink can be replaced and put back.
#include "weft/base/message.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace message_test {

std::string& received() {
  static std::string text;
  return text;
}

void keep(std::string_view text) noexcept { received() += text; }

TEST(Message, a_sink_takes_messages_until_it_is_replaced) {
  const weft::message_sink before = weft::set_message_sink(keep);
  weft::send_message("one line\n");
  EXPECT_EQ(weft::set_message_sink(before), keep);

  testing::internal::CaptureStderr();
  weft::send_message("to standard error\n");

  EXPECT_EQ(received(), "one line\n");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "to standard error\n");
}

}  // namespace message_test
