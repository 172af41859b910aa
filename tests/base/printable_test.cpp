// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about text that a terminal may be shown.
#include "weft/base/printable.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace printable_test {

using weft::base::is_printable;
using weft::base::line_ends;
using weft::base::printable;

TEST(Printable, escape_sequences_lose_their_escape) {
  EXPECT_EQ(printable("a\x1b[2Jb"), "a?[2Jb");
  EXPECT_EQ(printable("title \x1b]0;owned\x07"), "title ?]0;owned?");
  EXPECT_EQ(printable("over\rwritten\x7f\b"), "over?written??");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a?b");
}

TEST(Printable, a_control_character_of_two_bytes_is_masked_too) {
  EXPECT_EQ(printable("a\xc2\x9b"
                      "2J"),
            "a??2J")
      << "U+009B begins a sequence as ESC [ does";
  EXPECT_EQ(printable("a\xc2\xa0"
                      "b"),
            "a\xc2\xa0"
            "b")
      << "U+00A0 is a blank";
}

TEST(Printable, text_is_not_shown_from_right_to_left) {
  EXPECT_EQ(printable("a\u202eb\u2066c"), "a???b???c");
}

TEST(Printable, what_is_no_utf_8_is_masked_byte_by_byte) {
  EXPECT_EQ(printable("\x9b"
                      "2J"),
            "?2J");
  EXPECT_EQ(printable("\xe2\x96"), "??") << "cut off";
  EXPECT_EQ(printable("\xc0\x9b"), "??") << "ESC in two bytes";
  EXPECT_EQ(printable("\xe0\x80\x9b"), "???") << "ESC in three";
  EXPECT_EQ(printable("\xed\xa0\x80"), "???") << "half of a pair";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "????") << "beyond the last character";
}

TEST(Printable, other_text_stays_as_it_is) {
  for (const std::string_view text : {"", "plain ~", "Bäume █ 木 😀"}) {
    EXPECT_EQ(printable(text), text);
    EXPECT_TRUE(is_printable(text, line_ends::masked)) << text;
  }
}

TEST(Printable, a_message_has_lines_and_a_name_has_none) {
  EXPECT_EQ(printable("a\n\tb"), "a\n\tb");
  EXPECT_EQ(printable("a\n\tb", line_ends::masked), "a??b");
  EXPECT_TRUE(is_printable("a\n"));
  EXPECT_FALSE(is_printable("a\n", line_ends::masked));
}

TEST(Printable, what_was_masked_stays_the_same) {
  for (const std::string_view text : {"a\x1b[2J\xff", "\xc2\x9b\n", "plain"}) {
    EXPECT_TRUE(is_printable(printable(text)));
    EXPECT_EQ(printable(text).size(), text.size());
  }
}

}  // namespace printable_test
