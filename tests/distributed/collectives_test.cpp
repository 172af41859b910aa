// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all ranks do together.
#include "weft/distributed/collectives.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "weft/distributed/detail/collective.hpp"
#include "weft/distributed/locality.hpp"
#include "weft/tasks/this_task.hpp"

#include "tests/distributed/ranks.hpp"

namespace wd = weft::distributed;

namespace {

struct pair_of_numbers {
  int first;
  int second;
};

}  // namespace

TEST(Collectives, all_reduce_gives_all_the_same) {
  weft::test::ranks job({.size = 4});

  job.run([] {
    const int mine = wd::here().rank() + 1;
    EXPECT_EQ(wd::all_reduce(mine, wd::reduction::sum).get(), 10);
    EXPECT_EQ(wd::all_reduce(std::int64_t{mine}, wd::reduction::product).get(), 24);
    EXPECT_EQ(wd::all_reduce(0.5 * mine, wd::reduction::minimum).get(), 0.5);
    EXPECT_EQ(wd::all_reduce(static_cast<std::uint8_t>(mine), wd::reduction::maximum).get(), 4);
  });
}

TEST(Collectives, all_gather_gives_values_by_rank) {
  weft::test::ranks job({.size = 3});

  job.run([] {
    const int mine = wd::here().rank();
    const auto all = wd::all_gather(pair_of_numbers{mine, 10 * mine}).get();
    ASSERT_EQ(all.size(), 3U);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(all[static_cast<std::size_t>(i)].second, 10 * i);
    }
  });
}

TEST(Collectives, all_gather_takes_truth_values) {
  weft::test::ranks job({.size = 3});

  job.run([] {
    EXPECT_EQ(wd::all_gather(wd::here().rank() == 1).get(), (std::vector{false, true, false}));
  });
}

TEST(Collectives, broadcast_gives_all_the_root_s_value) {
  weft::test::ranks job({.size = 3});

  job.run([] { EXPECT_EQ(wd::broadcast(100 + wd::here().rank(), wd::locality(2)).get(), 102); });
}

TEST(Collectives, a_barrier_waits_for_all) {
  weft::test::ranks job({.size = 3});
  std::atomic<int> num_there{0};

  job.run([&] {
    for (int round = 1; round <= 20; ++round) {
      if (wd::here().rank() == round % 3) {
        weft::this_task::sleep_for(std::chrono::microseconds(200));
      }
      ++num_there;
      wd::barrier().get();
      EXPECT_GE(num_there, 3 * round);
    }
  });
}

TEST(Collectives, several_may_be_under_way) {
  weft::test::ranks job({.size = 2});

  job.run([] {
    auto first = wd::all_reduce(1, wd::reduction::sum);
    auto barrier = wd::barrier();
    auto second = wd::all_reduce(2, wd::reduction::sum);
    EXPECT_EQ(second.get(), 4);
    barrier.get();
    EXPECT_EQ(first.get(), 2);
  });
}
