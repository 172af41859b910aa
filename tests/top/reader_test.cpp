// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about copies of a file of counter blocks that is written meanwhile.
#include "top/reader.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <stdlib.h>  // mkdtemp is POSIX's

#include "weft/counters/segment.hpp"

#include "top/layout.hpp"
#include "top/snapshot.hpp"

namespace {

using weft::counters::segment;
using weft::top::header_facts;
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

}  // namespace
