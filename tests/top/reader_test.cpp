// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about copies of a file of counter blocks that is written meanwhile.
#include "top/reader.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <signal.h>  // SIGKILL and pid_t are POSIX's
#include <stdlib.h>  // mkdtemp is POSIX's
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "weft/counters/segment.hpp"

#include "top/layout.hpp"
#include "top/process_state.hpp"
#include "top/snapshot.hpp"

namespace {

using weft::counters::segment;
using weft::top::decode;
using weft::top::header_facts;
using weft::top::is_laid_out;
using weft::top::process_status;
using weft::top::read_header;
using weft::top::segment_reader;
using weft::top::snapshot;

class ReaderTest : public testing::Test {
 protected:
  ReaderTest() {
    std::string name = testing::TempDir() + "weft_reader_XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~ReaderTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

TEST_F(ReaderTest, copies_whole_blocks_of_a_process_that_adds_some) {
  constexpr std::uint64_t num_blocks = 500;
  segment written({.folder = folder_});
  ASSERT_EQ(written.reason(), "");
  segment_reader reader(written.path());
  const std::jthread adder([&] {
    for (std::uint64_t i = 0; i < num_blocks; ++i) {
      (void)written.add_block();
    }
  });

  std::uint64_t seen = 0;
  while (seen < num_blocks) {
    const snapshot taken = reader.read();
    const header_facts header = read_header(taken.words);
    EXPECT_GE(header.num_blocks, seen);
    EXPECT_EQ(taken.words.size() * sizeof(std::uint64_t),
              header.blocks + (header.num_blocks * header.block_bytes));
    seen = header.num_blocks;
  }
}

/// Ends in a process of its own when told to, by the common way or by a signal.
class ending_process {
 public:
  ending_process(const std::filesystem::path& folder, bool is_killed) {
    std::array<int, 2> to{};
    std::array<int, 2> from{};
    EXPECT_EQ(::pipe(to.data()) + ::pipe(from.data()), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      live(folder, is_killed, to[0], from[1]);
    }
    (void)::close(to[0]);
    (void)::close(from[1]);
    told_ = to[1];
    std::array<char, 4096> path{};
    const ssize_t length = ::read(from[0], path.data(), path.size());
    path_ = std::string(path.data(), static_cast<std::size_t>(std::max(length, ssize_t{0})));
    (void)::close(from[0]);
  }
  ending_process(const ending_process&) = delete;
  ending_process& operator=(const ending_process&) = delete;
  ~ending_process() {
    (void)::close(told_);
    (void)::waitpid(pid_, nullptr, 0);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  void end() const { (void)!::write(told_, "", 1); }

 private:
  [[noreturn]] static void live(const std::filesystem::path& folder,
                                bool is_killed,
                                int told,
                                int ready) {
    constexpr int num_blocks = 2000;  // a copy takes longer than the process takes to end
    segment written({.folder = folder});
    for (int i = 0; i < num_blocks; ++i) {
      (void)written.add_block();
    }
    const std::string path = written.path().string();
    (void)!::write(ready, path.data(), path.size());
    char byte = 0;
    (void)!::read(told, &byte, 1);
    if (!is_killed) {
      written.end();
    }
    (void)::raise(SIGKILL);  // nothing of the test's own is cleaned up twice
    ::_exit(1);
  }

  pid_t pid_ = -1;
  int told_ = -1;
  std::filesystem::path path_;
};

/// What is said of it by the first look that finds it gone, if that look began before.
process_status status_at_the_end(const std::filesystem::path& folder, bool is_killed) {
  const ending_process process(folder, is_killed);
  segment_reader reader(process.path());
  process.end();
  snapshot taken = reader.read();
  while (taken.process.is_alive) {
    taken = reader.read();
  }
  return decode(taken, 0).status;
}

TEST_F(ReaderTest, a_process_that_ends_during_a_look_has_ended_and_was_not_killed) {
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(status_at_the_end(folder_, false), process_status::ended);
  }
}

TEST_F(ReaderTest, a_process_that_is_killed_during_a_look_was_killed) {
  EXPECT_EQ(status_at_the_end(folder_, true), process_status::killed);
}

TEST_F(ReaderTest, a_file_is_laid_out_once_its_process_has_written_the_whole_beginning) {
  const std::filesystem::path path = folder_ / "growing";
  std::ofstream(path, std::ios::binary).close();
  EXPECT_FALSE(is_laid_out(path));
  std::filesystem::resize_file(path, 4096);
  EXPECT_FALSE(is_laid_out(path));

  const segment written({.folder = folder_});
  ASSERT_EQ(written.reason(), "");
  EXPECT_TRUE(is_laid_out(written.path()));
  EXPECT_TRUE(is_laid_out(folder_ / "none")) << "its reader says why";
}

}  // namespace
