// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about copies of a file of counter blocks that is written meanwhile.
#include "top/reader.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <stdlib.h>  // mkdtemp is POSIX's

#include "weft/counters/segment.hpp"

#include "top/layout.hpp"
#include "top/process_facts.hpp"
#include "top/process_state.hpp"
#include "top/snapshot.hpp"

namespace reader_test {

using weft::counters::segment;
using weft::top::decode;
using weft::top::header_facts;
using weft::top::is_laid_out;
using weft::top::process_facts;
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

TEST_F(ReaderTest, a_process_that_ends_during_a_look_has_ended_and_was_not_killed) {
  segment written({.folder = folder_});
  ASSERT_EQ(written.reason(), "");
  (void)written.add_block();
  const auto end_and_be_gone = [&](std::uint64_t /*pid*/, std::uint64_t /*start*/) {
    written.end();
    return process_facts{};
  };
  segment_reader reader(written.path(), end_and_be_gone);

  EXPECT_EQ(decode(reader.read(), 0).status, process_status::ended);
}

TEST_F(ReaderTest, a_process_that_is_gone_without_a_word_was_killed) {
  const segment written({.folder = folder_});
  ASSERT_EQ(written.reason(), "");
  const auto be_gone = [](std::uint64_t /*pid*/, std::uint64_t /*start*/) {
    return process_facts{};
  };
  segment_reader reader(written.path(), be_gone);

  EXPECT_EQ(decode(reader.read(), 0).status, process_status::killed);
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

}  // namespace reader_test
