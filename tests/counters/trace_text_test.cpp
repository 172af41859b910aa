// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about what one can write behind --weft:trace=.
#include <chrono>
#include <string_view>

#include <gtest/gtest.h>
#include <signal.h>  // SIGUSR2 is POSIX's

#include "weft/counters/trace.hpp"

namespace trace_text_test {

using weft::counters::trace_options;
using weft::counters::trace_text;

trace_options parse(std::string_view text) {
  return trace_text().parse(text).value_or(trace_options{});
}

TEST(TraceText, a_name_alone_asks_for_everything) {
  const trace_options options = parse("trace.pftrace");

  EXPECT_EQ(options.destination, "trace.pftrace");
  EXPECT_FALSE(options.last.has_value());
  EXPECT_FALSE(options.dump_signal.has_value());
  EXPECT_FALSE(options.keeps_rings);
}

TEST(TraceText, words_behind_colons_come_in_any_order) {
  const std::chrono::nanoseconds ten_seconds = std::chrono::seconds(10);
  for (const char* text : {"t:last=10s:signal=USR2:rings", "t:rings:signal=SIGUSR2:last=10s"}) {
    const trace_options options = parse(text);

    EXPECT_EQ(options.destination, "t") << text;
    EXPECT_EQ(options.last, ten_seconds) << text;
    EXPECT_EQ(options.dump_signal, SIGUSR2) << text;
    EXPECT_TRUE(options.keeps_rings) << text;
  }
}

TEST(TraceText, other_colons_belong_to_the_name) {
  EXPECT_EQ(parse("12:30:00.pftrace").destination, "12:30:00.pftrace");
  EXPECT_EQ(parse("12:30:last=1s").destination, "12:30");
}

TEST(TraceText, refuses_what_it_does_not_understand) {
  for (const char* text : {"", ":last=1s", "t:last=", "t:last=10", "t:last=0s", "t:signal=KILL"}) {
    EXPECT_FALSE(trace_text().parse(text).has_value()) << text;
  }
}

}  // namespace trace_text_test
