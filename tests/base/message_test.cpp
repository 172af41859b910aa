// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The message sink can be replaced and put back.
#include "weft/base/message.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "weft/base/error.hpp"

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

TEST(Message, no_message_commands_the_terminal) {
  const weft::message_sink before = weft::set_message_sink(keep);
  received().clear();

  weft::send_message("weft: no \x1b[2J\x1b]0;title\x07 of a name\n");
  weft::set_message_sink(before);

  EXPECT_EQ(received(), "weft: no ?[2J?]0;title? of a name\n");
}

TEST(Error, what_it_says_commands_no_terminal) {
  const weft::error refusal("cannot write \x1b[2Jfile\nin two lines");

  EXPECT_STREQ(refusal.what(), "cannot write ?[2Jfile\nin two lines");
}

}  // namespace message_test
