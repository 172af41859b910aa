// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counting the cache lines that move between threads.
#include <array>
#include <cstddef>
#include <span>
#include <thread>

#include <gtest/gtest.h>

#include "lab/scaling/line_directory.hpp"
#include "scaling/instrumented.hpp"

namespace line_counts_test {

using weft::lab::scaling::access;
using weft::lab::scaling::begin_counting;
using weft::lab::scaling::counted_sites;
using weft::lab::scaling::end_counting;
using weft::lab::scaling::line_counts;
using weft::lab::scaling::record_access;

constexpr std::size_t most_words = 32;

/// Calls `body` on a new thread, and returns the lines that all threads moved meanwhile.
template <class F>
line_counts moved_by(F body) {
  begin_counting();
  std::thread(body).join();
  return end_counting();
}

void touch(const shared_word& word, access kind) {
  record_access(&word, sizeof word.value, kind, nullptr);
}

TEST(Lines, of_one_thread_never_move) {
  const std::array<shared_word, 8> words;
  const line_counts found = moved_by([&] {
    for (const shared_word& each : words) {
      touch(each, access::write);
      touch(each, access::read);
      touch(each, access::write);
    }
  });
  EXPECT_EQ(found.moved(), 0);
}

TEST(Lines, a_line_that_another_thread_wrote_moves_once_for_all_reads) {
  const shared_word word;
  touch(word, access::write);
  const line_counts found = moved_by([&] {
    touch(word, access::read);
    touch(word, access::read);
  });
  EXPECT_EQ(found.reads, 1);
  EXPECT_EQ(found.writes, 0);
}

TEST(Lines, a_write_takes_the_copies_of_all_readers) {
  const shared_word word;
  touch(word, access::write);
  for (int i = 0; i < 5; ++i) {
    moved_by([&] { touch(word, access::read); });
  }
  const line_counts found = moved_by([&] {
    touch(word, access::write);
    touch(word, access::write);
  });
  EXPECT_EQ(found.reads, 0);
  EXPECT_EQ(found.writes, 1);
  EXPECT_EQ(found.invalidated, 6);
}

TEST(Lines, an_access_across_two_lines_moves_both) {
  alignas(64) const std::array<char, 128> text{};
  record_access(text.data(), text.size(), access::write, nullptr);
  const line_counts found = moved_by([&] { record_access(&text[60], 8, access::write, nullptr); });
  EXPECT_EQ(found.writes, 2);
}

TEST(Lines, an_operation_that_writes_a_line_of_each_thread_is_found) {
  for (const std::size_t num_threads : {2U, 4U, 8U, 16U, 32U}) {
    std::array<shared_word, most_words> words;
    for (std::size_t i = 0; i < num_threads; ++i) {
      moved_by([&] { write_all(std::span(words).subspan(i, 1)); });
    }
    begin_counting();
    write_all(std::span(words).first(num_threads));
    EXPECT_EQ(end_counting().writes, num_threads);
    ASSERT_EQ(counted_sites().size(), 1);
    EXPECT_EQ(counted_sites().front().moved, num_threads);

    begin_counting();
    EXPECT_EQ(read_all(std::span(words).first(num_threads)), 2 * num_threads);
    EXPECT_EQ(end_counting().moved(), 0) << "the lines are this thread's";
  }
}

TEST(Lines, atomic_operations_keep_their_meaning) { EXPECT_TRUE(are_atomics_right()); }

}  // namespace line_counts_test
