// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// blocking: workers stay free, results and exceptions come back.
#include "weft/tasks/blocking.hpp"

#include <atomic>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "tasks/on_workers.hpp"

namespace blocking_test {

class Blocking : public weft::test::OnWorkers {};

TEST_P(Blocking, other_tasks_run_meanwhile) {
  constexpr int num_calls = 6;
  std::latch all_here(num_calls);

  run_tasks(num_calls, [&](int) { weft::blocking([&] { all_here.arrive_and_wait(); }); });

  EXPECT_TRUE(all_here.try_wait());
}

TEST_P(Blocking, returns_the_result) {
  runtime_.run([] {
    const auto caller = std::this_thread::get_id();
    const std::string text = weft::blocking([&] {
      EXPECT_NE(std::this_thread::get_id(), caller);
      return std::string("from outside");
    });
    EXPECT_EQ(text, "from outside");
  });
}

TEST_P(Blocking, returns_references) {
  int target = 0;

  runtime_.run([&] { EXPECT_EQ(&weft::blocking([&]() -> int& { return target; }), &target); });
}

TEST_P(Blocking, rethrows) {
  runtime_.run([] {
    EXPECT_THROW(weft::blocking([]() -> int { throw std::out_of_range("outside"); }),
                 std::out_of_range);
  });
}

TEST_P(Blocking, many_in_a_row) {
  std::atomic<int> num_calls{0};

  run_tasks(8, [&](int) {
    for (int i = 0; i < 50; ++i) {
      weft::blocking([&] { ++num_calls; });
    }
  });

  EXPECT_EQ(num_calls, 8 * 50);
}

TEST(BlockingOutside, a_thread_that_is_no_worker_calls_directly) {
  const auto caller = std::this_thread::get_id();
  EXPECT_EQ(weft::blocking([] { return std::this_thread::get_id(); }), caller);
}

WEFT_TEST_ON_WORKERS(Blocking);

}  // namespace blocking_test
