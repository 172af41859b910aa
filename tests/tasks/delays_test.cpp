// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The deque's and the workers' protocols with random delays between their steps: right as they are,
// and seen to be wrong when a step is left out.
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <random>

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "weft/tasks/detail/scheduler/disturb.hpp"
#include "weft/tasks/detail/scheduler/forked.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/fork_join.hpp"

#include "tasks/deque_stress.hpp"
#include "tasks/disturb.hpp"
#include "tasks/scheduler/scheduler.hpp"
#include "tasks/waiting/futex.hpp"

namespace delays_test {

using weft::tasks::detail::safety_step;
using weft::tests::leave_out;
using weft::tests::num_not_taken_once;
using weft::tests::set_disturbance;
namespace detail = weft::tasks::detail;

constexpr std::size_t num_items = 5000;

TEST(Delays, every_task_is_taken_once) {
  set_disturbance({});
  for (unsigned seed = 1; seed <= 6; ++seed) {
    EXPECT_EQ(
        num_not_taken_once({.num_items = num_items, .num_thieves = 1 + seed % 3, .seed = seed}), 0)
        << seed;
    EXPECT_EQ(num_not_taken_once(
                  {.num_items = num_items, .num_thieves = 2, .seed = seed, .is_fenced = true}),
              0)
        << seed;
  }
}

// Injects tasks one by one with pauses around the time after which a worker goes to sleep. A task
// that no worker wakes up for makes this wait for ever.
void storm(unsigned num_workers, int num_tasks, unsigned seed) {
  detail::scheduler home({.num_workers = num_workers, .stacks = {}});
  std::mt19937 random(seed);
  for (int i = 0; i < num_tasks; ++i) {
    auto body = [] { return 1; };
    detail::forked task(body);
    detail::run_and_wait(home, task);
    ASSERT_EQ(task.take(), 1);
    const auto next =
        std::chrono::steady_clock::now() + std::chrono::microseconds(40 + random() % 40);
    while (std::chrono::steady_clock::now() < next) {
    }
  }
}

TEST(Delays, no_wake_up_is_lost) {
  set_disturbance({.pause_every = 4, .yield_every = 64});
  for (const unsigned num_workers : {1U, 2U, 4U}) {
    storm(num_workers, 1500, num_workers);
  }
}

long fib(int n) {
  if (n < 2) {
    return n;
  }
  auto [x, y] = weft::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return x + y;
}

TEST(Delays, fork_join_is_right) {
  set_disturbance({});
  for (const unsigned num_workers : {1U, 2U, 4U, 16U}) {
    detail::scheduler home({.num_workers = num_workers, .stacks = {}});
    auto body = [] { return fib(18); };
    detail::forked task(body);
    detail::run_and_wait(home, task);

    EXPECT_EQ(task.take(), 2584);
  }
}

enum class outcome : std::uint8_t { right, wrong, hung };

// For a fault that is there, and found in a second or two on an idle machine.
constexpr auto long_search = std::chrono::seconds(60);
// For what is right, which takes all of it.
constexpr auto short_search = std::chrono::seconds(4);

// How `attempt`, repeated for a while in another process, ends: right, wrong (it returns true or
// crashes) or not at all.
template <class Attempt>
outcome outcome_of(Attempt attempt, std::chrono::seconds search_time = long_search) {
  constexpr unsigned hang_s = 5;  // an attempt takes a tenth of a second
  const pid_t child = fork();
  if (child == 0) {
    const auto end = std::chrono::steady_clock::now() + search_time;
    for (unsigned seed = 1; std::chrono::steady_clock::now() < end; ++seed) {
      alarm(hang_s);
      if (attempt(seed)) {
        _exit(1);
      }
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
    return outcome::hung;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? outcome::right : outcome::wrong;
}

outcome deque_without(safety_step step) {
  return outcome_of([step](unsigned seed) {
    set_disturbance({});
    leave_out(step);
    return num_not_taken_once({.num_items = num_items, .num_thieves = 2, .seed = seed}) != 0;
  });
}

TEST(Delays, show_that_the_owner_must_look_again) {
  EXPECT_NE(deque_without(safety_step::owner_recheck), outcome::right);
}

TEST(Delays, show_that_the_owner_must_look_again_before_it_takes_one_below_others) {
  EXPECT_NE(deque_without(safety_step::inside_recheck), outcome::right);
}

TEST(Delays, show_that_thieves_must_respect_the_answer) {
  EXPECT_NE(deque_without(safety_step::acknowledgement), outcome::right);
}

outcome deque_with_barrier(void (*barrier)() noexcept, std::chrono::seconds search_time) {
  return outcome_of(
      [barrier](unsigned seed) {
        set_disturbance({.hold_every = 2});
        return num_not_taken_once({.num_items = num_items, .seed = seed, .barrier = barrier}) != 0;
      },
      search_time);
}

TEST(Delays, show_that_the_barrier_is_needed) {
  if (!detail::enable_barrier_for_all()) {
    GTEST_SKIP() << "no membarrier(2) here: the deque is fenced instead";
  }
  EXPECT_EQ(deque_with_barrier(detail::barrier_for_all, short_search), outcome::right);
  EXPECT_NE(deque_with_barrier([]() noexcept {}, long_search), outcome::right);
}

TEST(Delays, show_that_a_worker_must_look_again_before_it_sleeps) {
  EXPECT_EQ(outcome_of([](unsigned seed) {
              set_disturbance({.pause_every = 2, .yield_every = 16});
              leave_out(safety_step::park_recheck);
              storm(1, 2000, seed);
              return false;
            }),
            outcome::hung);
}

}  // namespace delays_test
