// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about executors and senders that only HPX has.
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hpx/algorithm.hpp>
#include <hpx/execution.hpp>
#include <sched.h>

#include "weft/base/error.hpp"
#include "weft/base/topology.hpp"

namespace hpx_executors_test {

namespace ex = hpx::execution::experimental;
using ex::restricted_thread_pool_executor;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(HpxExecutors, restricted_stays_on_its_cpus) {
  const restricted_thread_pool_executor where(0, 1);
  const int cpu = weft::base::read_topology().affinity.front();

  const auto cpus =
      hpx::parallel::execution::bulk_sync_execute(where, [](int) { return sched_getcpu(); }, 1000);
  std::vector<int> values(1000, 0);
  hpx::for_each(hpx::execution::par(hpx::execution::task).on(where),
                values.begin(),
                values.end(),
                [](int& v) { v = sched_getcpu(); })
      .get();

  EXPECT_EQ(where.num_workers(), 1U);
  EXPECT_THAT(cpus, testing::Each(cpu));
  EXPECT_THAT(values, testing::Each(cpu));
}

TEST(HpxExecutors, restricted_refuses_cpus_that_are_not_there) {
  EXPECT_THAT([] { restricted_thread_pool_executor(100'000, 1); },
              ThrowsMessage<weft::error>(HasSubstr("CPUs from index 100000 on: this process may")));
  EXPECT_THAT([] { restricted_thread_pool_executor(std::vector<int>{-1}); },
              ThrowsMessage<weft::error>(HasSubstr("CPU -1 is not one that this process may use")));
  EXPECT_THAT([] { restricted_thread_pool_executor(std::vector<int>{}); },
              ThrowsMessage<weft::error>(HasSubstr("give it one at least")));
}

TEST(HpxExecutors, senders_have_the_names_that_they_had_before_the_standard) {
  const std::vector<decltype(ex::just(1))> ones(3, ex::just(1));

  const auto sent = hpx::this_thread::experimental::sync_wait(
      ex::when_all_vector(ones) | ex::transfer(ex::thread_pool_scheduler()));

  ASSERT_TRUE(sent.has_value());
  EXPECT_EQ(std::get<0>(*sent), std::vector<int>({1, 1, 1}));
}

}  // namespace hpx_executors_test
