// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// call_once: once, again after an exception, and never before it has ended.
#include "weft/tasks/once.hpp"

#include <atomic>
#include <stdexcept>

#include <gtest/gtest.h>

#include "weft/base/error.hpp"
#include "weft/tasks/this_task.hpp"

#include "tasks/on_workers.hpp"

namespace once_test {

class Once : public weft::test::OnWorkers {};

TEST_P(Once, runs_once) {
  for (int round = 0; round < 20; ++round) {
    weft::once_flag flag;
    int value = 0;

    run_tasks_and_threads(12, [&](int) {
      weft::call_once(
          flag,
          [&](int more) {
            weft::this_task::yield();
            value += more;
          },
          7);
      EXPECT_EQ(value, 7);
    });
  }
}

TEST_P(Once, the_next_tries_after_an_exception) {
  weft::once_flag flag;
  std::atomic<int> num_tries{0};
  std::atomic<int> num_failures{0};

  run_tasks_and_threads(8, [&](int) {
    try {
      weft::call_once(flag, [&] {
        if (++num_tries <= 3) {
          throw std::runtime_error("not yet");
        }
      });
    } catch (const std::runtime_error&) {
      ++num_failures;
    }
  });

  EXPECT_EQ(num_tries, 4);
  EXPECT_EQ(num_failures, 3);
}

TEST_P(Once, calling_itself_is_an_error) {
  weft::once_flag flag;
  EXPECT_THROW(weft::call_once(flag, [&] { weft::call_once(flag, [] {}); }), weft::error);
}

WEFT_TEST_ON_WORKERS(Once);

}  // namespace once_test
