// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers: phases, completion functions, dropping out.
#include "weft/tasks/barrier.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <utility>

#include <gtest/gtest.h>

#include "tasks/on_workers.hpp"

namespace barrier_test {

class Barrier : public weft::test::OnWorkers {};

TEST_P(Barrier, nobody_is_a_phase_ahead) {
  constexpr int num_users = 8;
  constexpr int num_phases = 100;
  weft::barrier barrier(num_users);
  std::array<std::atomic<int>, num_users> phase{};

  run_tasks_and_threads(num_users, [&](int i) {
    for (int now = 1; now <= num_phases; ++now) {
      phase[static_cast<std::size_t>(i)] = now;
      barrier.arrive_and_wait();
      for (const auto& other : phase) {
        ASSERT_GE(other, now);
        ASSERT_LE(other, now + 1);
      }
    }
  });
}

TEST_P(Barrier, the_completion_function_runs_once_per_phase_before_all_go_on) {
  constexpr int num_users = 6;
  constexpr int num_phases = 50;
  int num_completed = 0;
  auto count = [&num_completed]() noexcept { ++num_completed; };
  weft::barrier<decltype(count)> barrier(num_users, count);

  run_tasks(num_users, [&](int) {
    for (int phase = 1; phase <= num_phases; ++phase) {
      barrier.arrive_and_wait();
      ASSERT_EQ(num_completed, phase);
    }
  });

  EXPECT_EQ(num_completed, num_phases);
}

TEST_P(Barrier, who_dropped_out_is_not_expected) {
  weft::barrier barrier(4);
  std::atomic<int> num_rounds{0};

  run_tasks(4, [&](int i) {
    for (int round = 0; round < 4; ++round) {
      if (round == i) {
        barrier.arrive_and_drop();
        return;
      }
      ++num_rounds;
      barrier.arrive_and_wait();
    }
  });

  EXPECT_EQ(num_rounds, 0 + 1 + 2 + 3);
}

TEST_P(Barrier, waiting_can_come_later_than_arriving) {
  weft::barrier barrier(2);
  int written = 0;

  run_tasks(2, [&](int i) {
    if (i == 0) {
      written = 42;
      auto token = barrier.arrive();
      barrier.wait(std::move(token));
    } else {
      barrier.arrive_and_wait();
      EXPECT_EQ(written, 42);
    }
  });
}

WEFT_TEST_ON_WORKERS(Barrier);

}  // namespace barrier_test
