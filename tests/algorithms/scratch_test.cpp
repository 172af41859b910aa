// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Temporary memory of sorts and merges: a block that is too large for the C library to keep waits
// for the next call.
#include "weft/algorithms/detail/memory/scratch.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace scratch_test {

namespace detail = weft::algorithms::detail;

constexpr std::size_t mib = std::size_t{1} << 20U;

struct freed {
  std::size_t bytes;
  void operator()(void* memory) const { detail::free_scratch(memory, bytes, alignof(double)); }
};
using block = std::unique_ptr<void, freed>;

block allocated(std::size_t bytes) {
  return {detail::allocate_scratch(bytes, alignof(double)), freed{bytes}};
}

/// Where a call has its memory, which it frees.
std::uintptr_t place_of(std::size_t bytes) {
  void* const memory = detail::allocate_scratch(bytes, alignof(double));
  const auto place = reinterpret_cast<std::uintptr_t>(memory);
  detail::free_scratch(memory, bytes, alignof(double));
  return place;
}

TEST(Scratch, what_is_freed_serves_the_next_call_that_wants_no_more) {
  for (const std::size_t bytes : {34 * mib, 80 * mib}) {
    const std::uintptr_t kept = place_of(bytes);  // instead of what earlier tests left
    EXPECT_EQ(place_of(bytes), kept);
    EXPECT_EQ(place_of(bytes - 4 * mib), kept);
  }
}

TEST(Scratch, two_at_once_are_two) {
  const block one = allocated(40 * mib);
  const block other = allocated(40 * mib);

  ASSERT_NE(one, nullptr);
  ASSERT_NE(other, nullptr);
  EXPECT_NE(one, other);
}

TEST(Scratch, all_that_was_asked_for_may_be_written) {
  for (const std::size_t bytes : {28 * mib, 33 * mib + 8, 29 * mib, 80 * mib, 81 * mib}) {
    const block memory = allocated(bytes);
    ASSERT_NE(memory, nullptr);
    auto* const begin = static_cast<std::byte*>(memory.get());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(begin) % (2 * mib), 0U);
    begin[0] = std::byte{1};
    begin[bytes - 1] = std::byte{2};
    EXPECT_EQ(begin[0], std::byte{1});
    EXPECT_EQ(begin[bytes - 1], std::byte{2});
  }
}

TEST(Scratch, no_two_threads_have_one_block) {
  constexpr int num_rounds = 200;
  const auto use = [](std::size_t mark) {
    for (int n = 0; n < num_rounds; ++n) {
      const block memory = allocated(30 * mib);
      auto* const word = static_cast<std::size_t*>(memory.get());
      *word = mark;
      std::this_thread::yield();
      ASSERT_EQ(*word, mark);
    }
  };
  std::vector<std::jthread> threads;
  for (std::size_t mark = 1; mark <= 3; ++mark) {
    threads.emplace_back(use, mark);
  }
}

}  // namespace scratch_test
