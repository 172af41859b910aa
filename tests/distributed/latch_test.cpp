// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Latches between ranks.
#include "weft/distributed/latch.hpp"

#include <atomic>
#include <chrono>

#include <gtest/gtest.h>

#include "weft/base/error.hpp"
#include "weft/distributed/async.hpp"
#include "weft/distributed/locality.hpp"
#include "weft/distributed/names.hpp"

#include "tests/distributed/ranks.hpp"

namespace wd = weft::distributed;

namespace latch_test {
namespace {

weft::test::ranks_options three_ranks() {
  weft::test::ranks_options options;
  options.size = 3;
  options.longest_delay = std::chrono::microseconds(100);
  return options;
}

}  // namespace

TEST(DistributedLatch, opens_when_all_ranks_have_arrived) {
  weft::test::ranks job(three_ranks());
  std::atomic<int> num_arrived{0};

  job.run([&] {
    if (wd::here().rank() == 0) {
      wd::register_name("gate", wd::make_latch(wd::locality(1), 3).get(), wd::here()).get();
    }
    const auto gate = wd::find<wd::latch>("gate", wd::locality(0)).get();
    EXPECT_EQ(gate.owner().rank(), 1);
    ++num_arrived;
    if (wd::here().rank() == 2) {
      gate.count_down();
      gate.wait().get();
    } else {
      gate.arrive_and_wait().get();
    }
    EXPECT_EQ(num_arrived, 3);
    EXPECT_TRUE(gate.try_wait().get());
  });
}

TEST(DistributedLatch, tells_whether_it_is_open) {
  weft::test::ranks job(three_ranks());

  job.run([] {
    const auto gate = wd::make_latch(wd::locality(2), 2).get();
    EXPECT_FALSE(gate.try_wait().get());
    wd::async(
        wd::locality(0), [](const wd::latch& one) { one.arrive_and_wait(2).get(); }, gate)
        .get();
    EXPECT_TRUE(gate.try_wait().get());
    EXPECT_THROW(static_cast<void>(wd::make_latch(wd::locality(2), -1)), weft::error);
  });
}

}  // namespace latch_test
