// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about copies of a file of counter blocks that is written meanwhile.
#include "top/reader.hpp"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <ios>
#include <string>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>  // mkdtemp is POSIX's
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "weft/base/error.hpp"
#include "weft/counters/segment.hpp"
#include "weft/counters/segment_format.hpp"

#include "tests/support/sanitizer.hpp"
#include "top/layout.hpp"
#include "top/process_facts.hpp"
#include "top/process_state.hpp"
#include "top/snapshot.hpp"

namespace reader_test {

using testing::HasSubstr;
using weft::counters::segment;
using weft::counters::segment_header;
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

/// Ends the test program if what follows never ends by itself.
class end_of_patience {
 public:
  end_of_patience() { (void)::alarm(60); }
  end_of_patience(const end_of_patience&) = delete;
  end_of_patience& operator=(const end_of_patience&) = delete;
  ~end_of_patience() { (void)::alarm(0); }
};

/// The header of a file, for changes that no program makes.
class writable_header {
 public:
  explicit writable_header(const std::filesystem::path& path)
      : descriptor_(::open(path.c_str(), O_RDWR | O_CLOEXEC)),
        place_(::mmap(
            nullptr, sizeof(segment_header), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0)) {}
  writable_header(const writable_header&) = delete;
  writable_header& operator=(const writable_header&) = delete;
  ~writable_header() {
    (void)::munmap(place_, sizeof(segment_header));
    (void)::close(descriptor_);
  }

  segment_header* operator->() { return static_cast<segment_header*>(place_); }

 private:
  int descriptor_;
  void* place_;
};

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const weft::error& refused) {
    return refused.what();
  }
  return "nothing was refused";
}

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

TEST_F(ReaderTest, a_named_pipe_is_refused_at_once) {
  const end_of_patience limit;
  const std::filesystem::path pipe =
      folder_ / ("weft." + std::to_string(::geteuid()) + ".1.1.stat");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0666), 0);

  EXPECT_THAT(refusal([&] { (void)segment_reader(pipe); }),
              HasSubstr("it is a named pipe and no regular file"));
  EXPECT_TRUE(is_laid_out(pipe)) << "its reader says why";
}

TEST_F(ReaderTest, a_header_with_more_blocks_than_any_program_has_is_refused) {
  const end_of_patience limit;
  const segment written({.folder = folder_});
  writable_header header(written.path());
  header->num_fields = 0;
  header->block_bytes = 0;
  header->num_blocks = std::uint64_t{1} << 40U;

  EXPECT_THAT(refusal([&] { (void)segment_reader(written.path()).read(); }),
              HasSubstr("more fields or blocks than any program has"));
}

TEST_F(ReaderTest, a_file_that_is_cut_off_while_it_is_watched_is_refused) {
  segment written({.folder = folder_});
  (void)written.add_block();
  segment_reader reader(written.path());
  (void)reader.read();

  std::filesystem::resize_file(written.path(), 4096);

  EXPECT_THAT(refusal([&] { (void)reader.read(); }), HasSubstr("the file of counters is damaged"));
}

TEST_F(ReaderTest, a_header_that_names_another_process_later_is_not_trusted) {
  const segment written({.folder = folder_});
  segment_reader reader(written.path());
  (void)reader.read();

  writable_header(written.path())->pid = 1;

  EXPECT_THAT(refusal([&] { (void)reader.read(); }), HasSubstr("is not trusted"));
}

TEST_F(ReaderTest, a_header_that_names_another_process_than_the_file_is_not_trusted) {
  const segment written({.folder = folder_});
  writable_header(written.path())->start_clock_ticks += 1;

  EXPECT_THAT(refusal([&] { (void)segment_reader(written.path()); }),
              HasSubstr("is not trusted: its header is that of process"));
}

TEST_F(ReaderTest, changes_that_never_end_do_not_hold_it_up) {
  const end_of_patience limit;
  constexpr std::uint64_t num_blocks = 600;
  segment written({.folder = folder_});
  for (std::uint64_t i = 0; i < num_blocks; ++i) {
    written.add_block().block.change.store(1, std::memory_order_relaxed);
  }
  written.begin_change();

  const snapshot taken = segment_reader(written.path()).read();

  EXPECT_EQ(read_header(taken.words).num_blocks, num_blocks);
}

TEST_F(ReaderTest, a_header_that_changes_all_the_time_is_used_as_it_was_checked) {
  const end_of_patience limit;
  // Under AddressSanitizer 2000 found a reader that reads the header again, ten times out of ten.
  constexpr int num_looks = weft::test::is_sanitized ? 2000 : 20000;
  segment written({.folder = folder_});
  for (int i = 0; i < 4; ++i) {
    (void)written.add_block();
  }
  writable_header header(written.path());
  const std::uint64_t true_blocks = header->blocks;
  std::atomic<bool> is_over = false;
  const std::uint64_t true_bytes = header->block_bytes;
  std::jthread liar([&] {
    // volatile, and more than once: every lie is told long enough to be heard
    auto& blocks = *const_cast<volatile std::uint64_t*>(&header->blocks);
    auto& block_bytes = *const_cast<volatile std::uint64_t*>(&header->block_bytes);
    for (std::uint64_t i = 0; !is_over.load(); ++i) {
      const bool is_true = i / 16 % 2 == 0;
      blocks = is_true ? true_blocks : std::uint64_t{1} << 50U;
      block_bytes = is_true ? true_bytes : std::uint64_t{1} << 50U;
    }
    blocks = true_blocks;
    block_bytes = true_bytes;
  });

  segment_reader reader(written.path());
  for (int i = 0; i < num_looks; ++i) {
    try {
      const snapshot taken = reader.read();
      const header_facts seen = read_header(taken.words);
      ASSERT_EQ(seen.blocks, true_blocks);
      ASSERT_EQ(taken.words.size() * sizeof(std::uint64_t),
                seen.blocks + (seen.num_blocks * seen.block_bytes));
    } catch (const weft::error&) {
      continue;  // it was read while it lied
    }
  }
  is_over = true;
  liar.join();

  EXPECT_NO_THROW((void)reader.read());
}

}  // namespace reader_test
