// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about handing counter blocks out, and about sums over them.
#include "weft/counters/block_registry.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/error.hpp"
#include "weft/counters/worker_block.hpp"

namespace block_registry_test {

using testing::HasSubstr;
using weft::counters::block_registry;
using weft::counters::worker_block;
using weft::counters::worker_count_members;
using weft::counters::worker_totals;

/// Which count went down, or -1.
int first_that_fell(const worker_totals& before, const worker_totals& after) {
  for (std::size_t i = 0; i < worker_count_members<std::uint64_t>.size(); ++i) {
    if (after.*worker_count_members<std::uint64_t>[i] <
        before.*worker_count_members<std::uint64_t>[i]) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

std::vector<std::uint32_t> present_workers(const block_registry& registry) {
  std::vector<std::uint32_t> workers;
  registry.for_each([&](const worker_block& block) { workers.push_back(block.worker); });
  return workers;
}

TEST(BlockRegistry, a_block_names_its_worker) {
  block_registry registry;

  const worker_block* block = registry.acquire(7, 3);

  EXPECT_EQ(block->magic, worker_block::expected_magic);
  EXPECT_EQ(block->version, worker_block::current_version);
  EXPECT_EQ(block->size_bytes, sizeof(worker_block));
  EXPECT_EQ(block->pool, 7u);
  EXPECT_EQ(block->worker, 3u);
}

TEST(BlockRegistry, pools_have_different_numbers) {
  block_registry registry;

  EXPECT_NE(registry.open_pool(), registry.open_pool());
}

TEST(BlockRegistry, only_present_workers_are_visited) {
  block_registry registry;
  (void)registry.acquire(0, 0);
  worker_block* leaves = registry.acquire(0, 1);
  (void)registry.acquire(0, 2);

  registry.release(leaves);

  EXPECT_THAT(present_workers(registry), testing::UnorderedElementsAre(0u, 2u));
}

TEST(BlockRegistry, a_worker_that_returns_goes_on_counting) {
  block_registry registry;
  worker_block* before = registry.acquire(0, 1);
  before->tasks_executed.add(5);
  registry.release(before);

  worker_block* after = registry.acquire(0, 1);

  EXPECT_EQ(after, before);
  EXPECT_EQ(after->tasks_executed.value(), 5u);
}

TEST(BlockRegistry, another_worker_starts_from_zero_in_the_block_of_a_closed_pool) {
  block_registry registry;
  const std::uint32_t first = registry.open_pool();
  worker_block* block = registry.acquire(first, 0);
  block->steals_won.add(5);
  registry.release(block);
  registry.close_pool(first);

  const std::uint32_t second = registry.open_pool();
  const worker_block* reused = registry.acquire(second, 0);

  EXPECT_EQ(reused, block);
  EXPECT_EQ(reused->steals_won.value(), 0u);
  EXPECT_EQ(registry.totals().steals_won, 5u);
  EXPECT_EQ(registry.totals(second).steals_won, 0u);
}

TEST(BlockRegistry, a_departed_worker_stays_in_the_totals_of_its_pool) {
  block_registry registry;
  worker_block* stays = registry.acquire(4, 0);
  worker_block* leaves = registry.acquire(4, 1);
  worker_block* other = registry.acquire(5, 0);
  stays->parks.add(1);
  leaves->parks.add(10);
  other->parks.add(100);

  registry.release(leaves);

  EXPECT_EQ(registry.totals(4).parks, 11u);
  EXPECT_EQ(registry.totals().parks, 111u);
}

TEST(BlockRegistry, every_count_is_summed) {
  block_registry registry;
  worker_block* block = registry.acquire(0, 0);
  std::uint64_t amount = 1;
  for (const auto count : worker_count_members<weft::counters::cell>) {
    (block->*count).add(amount++);
  }

  const worker_totals sum = registry.totals();

  EXPECT_EQ(sum.tasks_executed, 1u);
  EXPECT_EQ(sum.ticks_parked, amount - 1);
}

TEST(BlockRegistry, a_worker_cannot_have_two_blocks) {
  block_registry registry;
  (void)registry.acquire(2, 9);

  EXPECT_THAT([&] { (void)registry.acquire(2, 9); },
              testing::ThrowsMessage<weft::error>(HasSubstr("worker 9 of pool 2")));
}

TEST(BlockRegistry, a_pool_with_workers_cannot_be_closed) {
  block_registry registry;
  worker_block* leaves = registry.acquire(2, 0);
  leaves->wakes.add(3);
  registry.release(leaves);
  (void)registry.acquire(2, 1);

  EXPECT_THAT([&] { registry.close_pool(2); },
              testing::ThrowsMessage<weft::error>(HasSubstr("worker 1 still counts")));
  EXPECT_EQ(registry.totals(2).wakes, 3u);
}

/// A worker that counts a little in each of many pools.
void come_and_go(block_registry& registry, int num_pools) {
  for (int i = 0; i < num_pools; ++i) {
    const std::uint32_t pool = registry.open_pool();
    for (std::uint32_t stay = 0; stay < 3; ++stay) {
      worker_block* block = registry.acquire(pool, stay % 2);
      for (int k = 0; k < 100; ++k) {
        block->tasks_executed.add();
        block->ticks_executing.add(7);
      }
      registry.release(block);
    }
    registry.close_pool(pool);
  }
}

TEST(BlockRegistry, a_reader_never_sees_a_total_go_down) {
  block_registry registry;
  std::atomic<bool> stopped = false;
  int fallen = -1;
  int num_readings = 0;
  std::thread reader([&] {
    worker_totals before = registry.totals();
    while (!stopped || num_readings < 10) {
      const worker_totals after = registry.totals();
      registry.for_each([&](const worker_block& block) { EXPECT_LT(block.worker, 2u); });
      fallen = fallen < 0 ? first_that_fell(before, after) : fallen;
      before = after;
      ++num_readings;
    }
  });

  std::thread other([&] { come_and_go(registry, 300); });
  come_and_go(registry, 300);
  other.join();
  stopped = true;
  reader.join();

  EXPECT_EQ(fallen, -1) << "the count at this index fell";
  EXPECT_EQ(registry.totals().tasks_executed, 2u * 300 * 3 * 100);
  EXPECT_EQ(registry.totals().ticks_executing, 7u * 2 * 300 * 3 * 100);
}

TEST(BlockRegistry, a_total_that_falls_would_be_noticed) {
  worker_totals before;
  before.wakes = 2;
  worker_totals after;
  after.wakes = 1;

  EXPECT_EQ(
      worker_count_members<std::uint64_t>[static_cast<std::size_t>(first_that_fell(before, after))],
      &worker_totals::wakes);
}

TEST(BlockRegistry, the_process_has_one) {
  EXPECT_EQ(&weft::counters::process_blocks(), &weft::counters::process_blocks());
}

}  // namespace block_registry_test
