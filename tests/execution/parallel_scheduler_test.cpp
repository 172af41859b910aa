// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft's workers under stdexec: its parallel scheduler runs on them, bulk on all of them.
#include "weft/compat/parallel_scheduler.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <stdexec/execution.hpp>

#include "weft/tasks/detail/scheduler/self.hpp"

namespace parallel_scheduler_test {

struct stdexec_interface {
  using backend = stdexec::parallel_scheduler_replacement::parallel_scheduler_backend;
  using receiver = stdexec::parallel_scheduler_replacement::receiver_proxy;
  using bulk_receiver = stdexec::parallel_scheduler_replacement::bulk_item_receiver_proxy;
  using storage = std::span<std::byte>;
};

bool is_on_worker() { return weft::tasks::detail::self() != nullptr; }

}  // namespace parallel_scheduler_test

namespace stdexec::parallel_scheduler_replacement {

auto query_parallel_scheduler_backend() -> std::shared_ptr<parallel_scheduler_backend> {
  return weft::compat::make_parallel_scheduler_backend<stdexec_interface>();
}

}  // namespace stdexec::parallel_scheduler_replacement

namespace parallel_scheduler_test {

TEST(ParallelScheduler, work_of_stdexec_runs_on_wefts_workers) {
  auto sent = stdexec::sync_wait(stdexec::schedule(stdexec::get_parallel_scheduler()) |
                                 stdexec::then(is_on_worker));
  ASSERT_TRUE(sent.has_value());
  EXPECT_TRUE(std::get<0>(*sent));
}

TEST(ParallelScheduler, all_parallel_schedulers_are_one) {
  EXPECT_TRUE(stdexec::get_parallel_scheduler() == stdexec::get_parallel_scheduler());
}

TEST(ParallelScheduler, bulk_of_nothing_calls_nothing) {
  int num_calls = 0;
  const auto visit = [&num_calls](std::size_t) { ++num_calls; };
  stdexec::sync_wait(stdexec::schedule(stdexec::get_parallel_scheduler()) |
                     stdexec::bulk(stdexec::seq, std::size_t(0), visit));
  stdexec::sync_wait(stdexec::schedule(stdexec::get_parallel_scheduler()) |
                     stdexec::bulk(stdexec::par, std::size_t(0), visit));
  EXPECT_EQ(num_calls, 0);
}

TEST(ParallelScheduler, bulk_of_stdexec_covers_its_range_on_wefts_workers) {
  constexpr std::size_t n = 1000;
  std::vector<std::atomic<int>> cells(n);
  std::atomic<int> num_elsewhere = 0;
  const auto visit = [&](std::size_t i) {
    ++cells[i];
    num_elsewhere += is_on_worker() ? 0 : 1;
  };
  stdexec::sync_wait(stdexec::schedule(stdexec::get_parallel_scheduler()) |
                     stdexec::bulk(stdexec::par, n, visit));

  EXPECT_EQ(num_elsewhere, 0);
  for (const std::atomic<int>& cell : cells) {
    EXPECT_EQ(cell, 1);
  }
}

}  // namespace parallel_scheduler_test
