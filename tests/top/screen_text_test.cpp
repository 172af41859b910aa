// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about lines on a terminal.
#include "top/screen_text.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/counters/worker_block.hpp"

#include "top/styled_line.hpp"
#include "top/view.hpp"

namespace screen_text_test {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Le;
using testing::SizeIs;
using weft::top::screen_lines;
using weft::top::style;
using weft::top::styled_line;
using weft::top::view;

view with_workers(std::uint32_t num) {
  view made;
  made.header.program = "program";
  made.interval_s = 1;
  for (std::uint32_t i = 0; i < num; ++i) {
    made.workers.emplace_back();
    made.workers.back().worker = i;
    made.workers.back().done.time = {.task_s = 0.5, .scheduling_s = 0.25, .parked_s = 0.25};
  }
  return made;
}

TEST(StyledLine, is_cut_at_its_width_whatever_its_bytes) {
  styled_line line(5, false);

  line.add("ab").add("██████");

  EXPECT_EQ(line.text(), "ab███");
  EXPECT_EQ(line.columns_left(), 0u);
}

TEST(StyledLine, colours_take_no_columns) {
  styled_line line(3, true);

  line.add("ab", style::bold).add("cd", style::bold).add("e", style::bold);

  EXPECT_EQ(line.text(), "\x1b[1mab\x1b[0m\x1b[1mc\x1b[0m");
}

TEST(StyledLine, shows_no_control_characters_of_others) {
  EXPECT_EQ(styled_line(9, false).add("a\x1b[2Jb\n").text(), "a?[2Jb?");
}

TEST(StyledLine, shows_no_control_characters_of_two_bytes) {
  EXPECT_EQ(styled_line(9, false)
                .add("a\xc2\x9b"
                     "2J\xff")
                .text(),
            "a??2J?");
  EXPECT_EQ(styled_line(9, false).add_right("\xff\xff", 4).text(), "  ??");
}

TEST(Screen, tells_visitors_from_workers) {
  view made = with_workers(2);
  made.workers.back().worker = weft::counters::first_visitor + 3;

  EXPECT_THAT(screen_lines(made, {}), Contains(HasSubstr(" v3  ")));
}

TEST(Screen, draws_time_in_proportion) {
  const auto lines = screen_lines(with_workers(1), {.width = 39});

  EXPECT_THAT(lines, Contains(HasSubstr("##########+++++.....")));
}

TEST(Screen, fits_into_its_window) {
  for (const std::size_t width : {1U, 20U, 47U, 80U, 200U}) {
    for (const std::size_t height : {1U, 5U, 10U, 24U}) {
      const auto lines = screen_lines(with_workers(100), {.width = width, .height = height});

      EXPECT_THAT(lines, SizeIs(Le(height)));
      EXPECT_THAT(lines, Each(SizeIs(Le(width)))) << width;
    }
  }
}

TEST(Screen, says_that_there_are_more_workers) {
  const auto lines = screen_lines(with_workers(100), {.height = 20});

  EXPECT_THAT(lines, Contains(HasSubstr("more workers; a taller window")));
}

TEST(Screen, an_unknown_number_is_a_dash) {
  view shown = with_workers(1);
  shown.workers[0].done.time.scheduling_s = std::nullopt;

  const auto lines = screen_lines(shown, {.width = 120});

  EXPECT_THAT(lines, Contains(HasSubstr("RSS -")));
  EXPECT_THAT(lines, Contains(testing::ContainsRegex("67 % +-  ")));
}

}  // namespace screen_text_test
