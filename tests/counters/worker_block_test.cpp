// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about one worker's counter block.
#include "weft/counters/worker_block.hpp"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <thread>

#include <gtest/gtest.h>

namespace worker_block_test {

using weft::counters::cell;
using weft::counters::worker_block;
using weft::counters::worker_state;

TEST(Cell, counts_from_zero) {
  cell count;
  EXPECT_EQ(count.value(), 0u);

  count.add();
  count.add(4);

  EXPECT_EQ(count.value(), 5u);
}

TEST(Cell, a_reader_sees_it_grow_to_the_last_count) {
  constexpr std::uint64_t last = 200'000;
  cell count;
  std::atomic<bool> fell = false;
  std::thread reader([&] {
    for (std::uint64_t before = 0; before < last;) {
      const std::uint64_t now = count.value();
      fell = fell || now < before;
      before = now;
    }
  });

  for (std::uint64_t i = 0; i < last; ++i) {
    count.add();
  }
  reader.join();

  EXPECT_FALSE(fell);
}

TEST(WorkerBlock, shares_no_line_with_another) {
  EXPECT_EQ(alignof(worker_block), 128u);
  EXPECT_EQ(sizeof(worker_block) % 128, 0u);
}

TEST(WorkerBlock, starts_with_its_magic) {
  const worker_block block;

  // what a reader finds that knows nothing but the address
  EXPECT_EQ(std::memcmp(static_cast<const void*>(&block), &block.magic, sizeof block.magic), 0);
}

TEST(WorkerBlock, a_state_is_charged_when_it_is_left) {
  worker_block block;

  block.start(worker_state::searching, 1'000);
  block.enter(worker_state::executing, 1'010);
  block.enter(worker_state::parked, 1'110);
  block.enter(worker_state::searching, 2'110);

  EXPECT_EQ(block.ticks_searching.value(), 10u);
  EXPECT_EQ(block.ticks_executing.value(), 100u);
  EXPECT_EQ(block.ticks_parked.value(), 1'000u);
  EXPECT_EQ(block.state(), worker_state::searching);
  EXPECT_EQ(block.state_since_ticks.value(), 2'110u);
}

}  // namespace worker_block_test
