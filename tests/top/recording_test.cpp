// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about recordings.
#include "top/recording.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <optional>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "weft/base/error.hpp"

#include "tests/support/fake_root.hpp"
#include "top/snapshot.hpp"

namespace recording_test {

using weft::top::recording_reader;
using weft::top::recording_writer;
using weft::top::snapshot;

snapshot example(std::uint64_t last_word) {
  snapshot made{.words = {1, 0, 3, last_word}, .now = {.ticks = 7, .monotonic_ns = -8}};
  made.realtime_ns = 9;
  made.process = {.is_alive = true, .state = 'S', .rss_bytes = 4096, .num_threads = {}};
  made.process.run_delay_ns = {{11, 12}};
  made.symbols = {{0x1000, "f(int)"}};
  return made;
}

class RecordingTest : public testing::Test {
 protected:
  ~RecordingTest() override { std::filesystem::remove(path_); }

  std::filesystem::path path_ = testing::TempDir() + "weft_recording_test";
};

TEST_F(RecordingTest, is_read_as_it_was_written) {
  snapshot longer = example(5);
  longer.words.push_back(6);
  {
    recording_writer writer(path_);
    writer.write(example(4));
    writer.write(longer);
  }

  recording_reader reader(path_);

  EXPECT_EQ(reader.read(), example(4));
  EXPECT_EQ(reader.read(), longer);
  EXPECT_EQ(reader.read(), std::nullopt);
}

TEST_F(RecordingTest, follows_no_link_of_another_user) {
  const std::filesystem::path link = path_.string() + ".link";
  std::ofstream(path_) << "precious";
  std::filesystem::create_symlink(path_, link);
  const bool is_given = lchown(link.c_str(), 65534, 65534) == 0;

  if (is_given) {
    EXPECT_THROW(recording_writer{link}, weft::error);
    EXPECT_EQ(std::filesystem::file_size(path_), 8u);
  }
  std::filesystem::remove(link);
  if (!is_given) {
    GTEST_SKIP() << "only root can give a link to another user";
  }
}

TEST_F(RecordingTest, keeps_only_what_changed) {
  recording_writer writer(path_);
  snapshot large = example(4);
  large.words.assign(10'000, 1);
  writer.write(large);
  const auto before = std::filesystem::file_size(path_);

  large.words[500] = 2;
  writer.write(large);

  EXPECT_LT(std::filesystem::file_size(path_) - before, 200u);
}

TEST_F(RecordingTest, a_word_outside_the_file_is_refused) {
  {
    recording_writer writer(path_);
    writer.write(example(4));
  }
  const auto size = std::filesystem::file_size(path_);
  std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(size) - 16);
  const std::uint64_t wrong = 4;  // there are words 0 to 3
  file.write(reinterpret_cast<const char*>(&wrong), sizeof wrong);
  file.close();

  recording_reader reader(path_);

  EXPECT_THROW((void)reader.read(), weft::error);
}

TEST_F(RecordingTest, a_named_pipe_is_refused_at_once) {
  (void)::alarm(60);
  const weft::test::fake_root root;
  const std::filesystem::path pipe = root.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);

  EXPECT_THROW(recording_reader reader(pipe), weft::error);
  (void)::alarm(0);
}

TEST_F(RecordingTest, a_name_of_unlikely_length_is_refused) {
  {
    recording_writer writer(path_);
    writer.write(example(4));
  }
  std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
  constexpr std::streamoff words_before = 13;  // the mark, clocks, the process, an address
  file.seekp(words_before * 8);
  const std::uint64_t wrong = std::uint64_t{1} << 26U;
  file.write(reinterpret_cast<const char*>(&wrong), sizeof wrong);
  file.close();

  recording_reader reader(path_);

  EXPECT_THROW((void)reader.read(), weft::error);
}

TEST_F(RecordingTest, one_that_is_longer_than_what_is_read_at_once_is_whole) {
  snapshot large = example(4);
  for (std::uint64_t i = 0; i < 50'000; ++i) {
    large.words.push_back(i);
  }
  {
    recording_writer writer(path_);
    writer.write(large);
    writer.write(example(4));
  }

  recording_reader reader(path_);

  EXPECT_EQ(reader.read(), large);
  EXPECT_EQ(reader.read(), example(4));
  EXPECT_EQ(reader.read(), std::nullopt);
}

}  // namespace recording_test
