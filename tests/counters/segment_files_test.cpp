// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about the names of files of counter blocks, and about which are removed.
#include "weft/counters/segment_files.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "weft/counters/segment.hpp"

namespace segment_files_test {

using testing::IsEmpty;
using testing::SizeIs;
using weft::counters::parse_segment_name;
using weft::counters::process_start;
using weft::counters::reap_segments;
using weft::counters::segment;
using weft::counters::segment_files;
using weft::counters::segment_name;

class SegmentFilesTest : public testing::Test {
 protected:
  SegmentFilesTest() {
    std::string name = testing::TempDir() + "weft_files_XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~SegmentFilesTest() override { std::filesystem::remove_all(folder_); }

  /// The file of a process that is killed at once.
  void leave_one_behind() const {
    const auto child = ::fork();
    if (child == 0) {
      const segment shared({.folder = folder_});
      (void)::kill(::getpid(), SIGKILL);
    }
    ::waitpid(child, nullptr, 0);
  }

  std::filesystem::path folder_;
};

TEST(SegmentName, is_read_as_it_was_printed) {
  const segment_name name{.uid = 1000, .pid = 42, .start_clock_ticks = 987654321};

  EXPECT_EQ(to_string(name), "weft.1000.42.987654321.stat");
  EXPECT_EQ(parse_segment_name(to_string(name)), name);
}

TEST(SegmentName, of_other_files_is_none) {
  for (const char* other : {"",
                            "weft.stat",
                            "weft..stat",
                            "weft.1.2.stat",
                            "weft.1.2.3.stats",
                            "weft.1.2.3.4.stat",
                            "weft.1.-2.3.stat",
                            "weft.1.2.x.stat",
                            "other.1.2.3.stat",
                            "weft.1.2.99999999999999999999.stat"}) {
    EXPECT_EQ(parse_segment_name(other), std::nullopt) << other;
  }
}

TEST(ProcessStart, tells_a_process_from_none) {
  EXPECT_TRUE(process_start(static_cast<std::uint64_t>(::getpid())).has_value());
  EXPECT_EQ(process_start(0x7fffffff), std::nullopt);
}

TEST(ProcessStart, of_a_process_that_died_and_was_not_waited_for_is_none) {
  const auto child = ::fork();
  if (child == 0) {
    ::_exit(0);
  }
  siginfo_t info{};
  ::waitid(P_PID, static_cast<unsigned>(child), &info, WEXITED | WNOWAIT);

  EXPECT_EQ(process_start(static_cast<std::uint64_t>(child)), std::nullopt);
  ::waitpid(child, nullptr, 0);
}

TEST_F(SegmentFilesTest, of_a_running_process_stays) {
  const segment shared({.folder = folder_});

  EXPECT_THAT(reap_segments(folder_, {.oldest = std::chrono::seconds(0), .most = 0}), IsEmpty());
  EXPECT_THAT(segment_files(folder_), SizeIs(1));
}

TEST_F(SegmentFilesTest, of_a_killed_process_can_be_read_for_a_while) {
  leave_one_behind();
  ASSERT_THAT(segment_files(folder_), SizeIs(1));
  EXPECT_TRUE(is_left_behind(segment_files(folder_).front()));

  EXPECT_THAT(reap_segments(folder_), IsEmpty());
  EXPECT_THAT(reap_segments(folder_), IsEmpty());
  EXPECT_THAT(reap_segments(folder_, {.oldest = std::chrono::seconds(0)}), SizeIs(1));
  EXPECT_THAT(segment_files(folder_), IsEmpty());
}

TEST_F(SegmentFilesTest, time_counts_from_when_somebody_found_the_process_gone) {
  leave_one_behind();
  const std::filesystem::path path = segment_files(folder_).front().path;
  const auto long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(100);
  std::filesystem::last_write_time(path, long_ago);  // it ran for days

  EXPECT_THAT(reap_segments(folder_), IsEmpty());
  std::filesystem::last_write_time(path, long_ago);  // and now it is dead for days
  EXPECT_THAT(reap_segments(folder_), SizeIs(1));
}

TEST_F(SegmentFilesTest, only_so_many_are_kept) {
  for (int i = 0; i < 4; ++i) {
    leave_one_behind();
  }

  EXPECT_THAT(reap_segments(folder_, {.most = 3}), SizeIs(1));
  EXPECT_THAT(segment_files(folder_), SizeIs(3));
}

TEST_F(SegmentFilesTest, other_files_are_not_touched) {
  std::ofstream(folder_ / "weft.1.2.stat") << "mine";

  EXPECT_THAT(reap_segments(folder_, {.oldest = std::chrono::seconds(0), .most = 0}), IsEmpty());
  EXPECT_TRUE(std::filesystem::exists(folder_ / "weft.1.2.stat"));
}

}  // namespace segment_files_test
