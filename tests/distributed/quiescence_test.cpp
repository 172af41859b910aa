// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What quiescence waits for, and what may go on beside it.
#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "weft/distributed/async.hpp"
#include "weft/distributed/collectives.hpp"
#include "weft/distributed/detail/collective.hpp"
#include "weft/distributed/local_of.hpp"
#include "weft/distributed/locality.hpp"
#include "weft/distributed/runtime.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/this_task.hpp"

#include "tests/distributed/ranks.hpp"

namespace wd = weft::distributed;

namespace {

std::atomic<int> num_done{0};
void take_a_while() {
  weft::this_task::sleep_for(std::chrono::milliseconds(3));
  ++num_done;
}
wd::locality rank_after_this() {
  return wd::locality((wd::here().rank() + 1) % wd::num_localities());
}

/// Goes to another rank, and from there to that rank itself.
void take_a_while_twice(int hops) {
  weft::this_task::sleep_for(std::chrono::milliseconds(4));
  ++num_done;
  if (hops > 0) {
    wd::post<&take_a_while_twice>(hops % 2 == 0 ? rank_after_this() : wd::here(), hops - 1);
  }
}

}  // namespace

TEST(Quiescence, calls_of_the_own_rank_are_waited_for) {
  weft::test::ranks job({.size = 2});
  num_done = 0;

  job.run([] {
    wd::post<&take_a_while>(wd::here());
    auto answered = wd::async<&take_a_while>(wd::here());
    wd::quiescence().get();
    EXPECT_EQ(num_done, 4);
    answered.get();
  });
}

TEST(Quiescence, a_chain_over_ranks_and_the_own_rank_is_waited_for) {
  weft::test::ranks job({.size = 3});
  num_done = 0;

  job.run([] {
    if (wd::here().rank() == 0) {
      wd::post<&take_a_while_twice>(rank_after_this(), 11);
    }
    wd::quiescence().get();
    EXPECT_EQ(num_done, 12);
  });
}

TEST(Quiescence, other_operations_are_started_meanwhile) {
  weft::test::ranks job({.size = 3, .longest_delay = std::chrono::microseconds(200)});
  num_done = 0;

  job.run([] {
    for (int round = 1; round <= 10; ++round) {
      wd::post<&take_a_while>(rank_after_this());  // so that there are several rounds
      auto quiet = wd::quiescence();
      auto sum = wd::all_reduce(wd::here().rank() + round, wd::reduction::sum);
      auto quiet_again = wd::quiescence();
      auto barrier = wd::barrier();
      const std::vector<int> all = wd::all_gather(wd::here().rank()).get();
      EXPECT_EQ(all, (std::vector{0, 1, 2}));
      EXPECT_EQ(sum.get(), 3 + 3 * round);
      barrier.get();
      quiet.get();
      EXPECT_GE(num_done, 3 * round);
      quiet_again.get();
    }
  });
}

TEST(Quiescence, an_exception_waits_for_the_calls_of_the_only_rank) {
  num_done = 0;
  try {
    const wd::runtime job;
    wd::post<&take_a_while>(wd::here());
    wd::post(wd::here(), [] {
      weft::this_task::sleep_for(std::chrono::milliseconds(10));
      wd::async<&take_a_while>(wd::here()).get();  // needs the runtime
    });
    throw std::runtime_error("leaves main");
  } catch (const std::runtime_error&) {
    EXPECT_EQ(num_done, 2);
  }
}

TEST(Quiescence, a_local_of_may_be_destroyed_after_the_runtime) {
  std::unique_ptr<wd::local_of<int>> late;
  {
    const wd::runtime job;
    late = std::make_unique<wd::local_of<int>>(5);
  }
  EXPECT_EQ(**late, 5);
  late.reset();
}
