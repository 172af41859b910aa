// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about the names of files of counter blocks, and about which are removed.
#include "weft/counters/segment_files.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "weft/counters/segment.hpp"
#include "weft/counters/segment_format.hpp"

namespace segment_files_test {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using weft::counters::check_segment;
using weft::counters::parse_segment_name;
using weft::counters::process_start;
using weft::counters::reap_segments;
using weft::counters::segment;
using weft::counters::segment_file;
using weft::counters::segment_files;
using weft::counters::segment_header;
using weft::counters::segment_name;
using weft::counters::segment_standing;

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

TEST_F(SegmentFilesTest, of_a_running_process_is_trusted) {
  const segment shared({.folder = folder_});

  const auto check = check_segment(segment_files(folder_).front());

  EXPECT_EQ(check.standing, segment_standing::running) << check.reason;
}

TEST_F(SegmentFilesTest, that_a_killed_process_left_is_trusted) {
  leave_one_behind();

  EXPECT_EQ(check_segment(segment_files(folder_).front()).standing, segment_standing::left_behind);
}

TEST_F(SegmentFilesTest, of_an_earlier_process_of_the_same_number_is_left_behind) {
  const segment shared({.folder = folder_});
  segment_file file = segment_files(folder_).front();
  file.name.start_clock_ticks += 1;
  const auto earlier = folder_ / to_string(file.name);
  std::filesystem::copy_file(file.path, earlier);
  std::fstream copy(earlier, std::ios::binary | std::ios::in | std::ios::out);
  copy.seekp(offsetof(segment_header, start_clock_ticks));
  copy.write(reinterpret_cast<const char*>(&file.name.start_clock_ticks), 8);
  copy.close();
  file.path = earlier;

  EXPECT_TRUE(is_left_behind(file));
  EXPECT_EQ(check_segment(file).standing, segment_standing::left_behind);
}

TEST_F(SegmentFilesTest, with_the_header_of_another_process_is_not_trusted) {
  const segment shared({.folder = folder_});
  segment_file file = segment_files(folder_).front();
  file.name.pid = 1;
  std::filesystem::rename(file.path, folder_ / to_string(file.name));
  file.path = folder_ / to_string(file.name);

  const auto check = check_segment(file);

  EXPECT_EQ(check.standing, segment_standing::not_trusted);
  EXPECT_THAT(check.reason, HasSubstr("its name that of process 1 "));
}

TEST_F(SegmentFilesTest, of_another_user_is_not_the_processs_own) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root can give a file to another user";
  }
  constexpr ::uid_t other = 65534;
  const segment shared({.folder = folder_});
  segment_file file = segment_files(folder_).front();
  const auto forge = [&](::uid_t name_of, ::uid_t owner) {
    file.name.uid = name_of;
    const auto path = folder_ / ("weft." + std::to_string(name_of) + ".forged");
    std::filesystem::copy_file(shared.path(), path);
    std::fstream copy(path, std::ios::binary | std::ios::in | std::ios::out);
    copy.seekp(offsetof(segment_header, uid));
    copy.write(reinterpret_cast<const char*>(&file.name.uid), sizeof file.name.uid);
    copy.close();
    file.path = path;
    return ::chown(path.c_str(), owner, owner) == 0;
  };

  ASSERT_TRUE(forge(0, other));
  EXPECT_EQ(check_segment(file).reason, "it belongs to user 65534 and not to user 0");
  ASSERT_TRUE(forge(other, other));
  EXPECT_EQ(check_segment(file).reason,
            "it belongs to user 65534, and process " + std::to_string(::getpid()) + " to user 0");
  EXPECT_EQ(check_segment(file).standing, segment_standing::not_trusted);
}

TEST_F(SegmentFilesTest, a_named_pipe_among_them_holds_nobody_up) {
  (void)::alarm(60);
  const segment_name name{.uid = ::geteuid(), .pid = 1, .start_clock_ticks = 1};
  ASSERT_EQ(::mkfifo((folder_ / to_string(name)).c_str(), 0666), 0);

  EXPECT_THAT(reap_segments(folder_, {.oldest = std::chrono::seconds(0), .most = 0}), IsEmpty());
  EXPECT_EQ(check_segment(segment_files(folder_).front()).reason,
            "it is a named pipe and no regular file");
  (void)::alarm(0);
}

TEST_F(SegmentFilesTest, a_link_among_them_is_neither_followed_nor_marked) {
  leave_one_behind();
  const segment_file real = segment_files(folder_).front();
  const auto elsewhere = folder_ / "elsewhere";
  std::filesystem::rename(real.path, elsewhere);
  std::filesystem::create_symlink(elsewhere, real.path);

  EXPECT_THAT(reap_segments(folder_, {.oldest = std::chrono::seconds(0), .most = 0}), IsEmpty());
  EXPECT_EQ(check_segment(real).reason, "it is a symbolic link and no regular file");
  EXPECT_EQ(std::filesystem::status(elsewhere).permissions(), std::filesystem::perms(0600));
}

}  // namespace segment_files_test
