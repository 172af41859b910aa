// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs one body many times at once, on tasks, on OS threads, or on both.
#pragma once

#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/tasks/fork_join.hpp"
#include "weft/tasks/runtime.hpp"

#include "tasks/with_workers.hpp"

namespace weft::test {

/// Calls body(first) ... body(last - 1), as tasks that may all be suspended at once.
template <class Body>
void for_each_task(int first, int last, const Body& body) {
  if (last - first == 1) {
    body(first);
    return;
  }
  const int middle = first + (last - first) / 2;
  fork_join([&] { for_each_task(first, middle, body); },
            [&] { for_each_task(middle, last, body); });
}

/// A runtime with as many workers as the parameter says.
class OnWorkers : public ::testing::TestWithParam<int> {
 protected:
  /// Runs body(i) for all i below `count` as tasks.
  template <class Body>
  void run_tasks(int count, const Body& body) {
    runtime_.run([&] { for_each_task(0, count, body); });
  }

  /// The same with half of them, the odd ones, as OS threads.
  template <class Body>
  void run_tasks_and_threads(int count, const Body& body) {
    std::vector<std::jthread> threads;
    for (int i = 1; i < count; i += 2) {
      threads.emplace_back([&body, i] { body(i); });
    }
    run_tasks((count + 1) / 2, [&](int i) { body(2 * i); });
  }

  runtime runtime_{with_workers(GetParam())};
};

}  // namespace weft::test

#define WEFT_TEST_ON_WORKERS(suite) \
  INSTANTIATE_TEST_SUITE_P(Workers, suite, ::testing::Values(1, 2, 4, 16))
