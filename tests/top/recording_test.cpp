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
#include <unistd.h>

#include "weft/base/error.hpp"

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

}  // namespace recording_test
