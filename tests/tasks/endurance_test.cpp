// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A billion fork-joins, and a hundred million futures, in the memory of a thousand.
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "weft/tasks/async.hpp"
#include "weft/tasks/detail/scheduler/forked.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/fork_join.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_options.hpp"

#include "tasks/scheduler/scheduler.hpp"

namespace endurance_test {

namespace detail = weft::tasks::detail;

long fib(int n) {
  if (n < 2) {
    return n;
  }
  auto [x, y] = weft::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return x + y;
}

long run_fib(detail::scheduler& home, int n) {
  auto body = [n] { return fib(n); };
  detail::forked task(body);
  detail::run_and_wait(home, task);
  return task.take();
}

long resident_bytes() {
  long num_pages = 0;
  long num_resident = 0;
  std::ifstream("/proc/self/statm") >> num_pages >> num_resident;
  return num_resident * sysconf(_SC_PAGESIZE);
}

constexpr long allowed_growth_bytes = 4L << 20;

TEST(Endurance, a_billion_fork_joins_take_no_more_memory_than_a_few) {
  constexpr int num_runs = 42;  // fib(36) is 24 million fork-joins
  detail::scheduler home({.num_workers = 4, .stacks = {}});
  ASSERT_EQ(run_fib(home, 30), 832'040);
  const long before = resident_bytes();

  for (int i = 0; i < num_runs; ++i) {
    ASSERT_EQ(run_fib(home, 36), 14'930'352);
  }

  EXPECT_LT(resident_bytes() - before, allowed_growth_bytes);
}

long sum_by_futures(long num_futures) {
  long sum = 0;
  for (long i = 0; i < num_futures; ++i) {
    sum += weft::async([i] { return i & 1; }).get();
  }
  return sum;
}

TEST(Endurance, a_hundred_million_futures_take_no_more_memory_than_a_few) {
  constexpr long num_futures = 100'000'000;
  weft::runtime_options options;
  options.workers = 4;
  weft::runtime home(options);
  ASSERT_EQ(home.run([] { return sum_by_futures(1000); }), 500);
  const long before = resident_bytes();

  const long sum = home.run([] { return sum_by_futures(num_futures); });

  EXPECT_EQ(sum, num_futures / 2);
  EXPECT_LT(resident_bytes() - before, allowed_growth_bytes);
}

}  // namespace endurance_test
