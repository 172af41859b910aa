// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What happens when a task is to wait and there is no stack for its worker to go on with: joins
// return only when all is done, other waits fail and leave everything as it was.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <string_view>
#include <thread>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/error.hpp"
#include "weft/base/message.hpp"
#include "weft/tasks/async.hpp"
#include "weft/tasks/barrier.hpp"
#include "weft/tasks/blocking.hpp"
#include "weft/tasks/condition_variable.hpp"
#include "weft/tasks/coroutine_fork.hpp"
#include "weft/tasks/event.hpp"
#include "weft/tasks/fork_join.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/latch.hpp"
#include "weft/tasks/lazy_task.hpp"
#include "weft/tasks/mutex.hpp"
#include "weft/tasks/post.hpp"
#include "weft/tasks/promise.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_options.hpp"
#include "weft/tasks/task_group.hpp"
#include "weft/tasks/this_task.hpp"
#include "weft/tasks/thread.hpp"

namespace no_stack_left_test {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr int num_repetitions = 30;

weft::runtime_options with_stacks(int num_workers, int num_spare) {
  weft::runtime_options options;
  options.workers = num_workers;
  options.max_stacks = static_cast<std::size_t>(num_workers + num_spare);
  return options;
}

/// Waits as a thread does, without leaving the stack.
template <class Condition>
void watch_for(const Condition& has_come) {
  while (!has_come()) {
    std::this_thread::yield();
  }
}
void watch_for(const std::atomic<bool>& flag) {
  watch_for([&flag] { return flag.load(); });
}

/// Some work that a thief has time to come for.
void spend_time() {
  for (int i = 0; i < 200; ++i) {
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
}

int fork_tree(int depth) {
  if (depth == 0) {
    spend_time();
    return 1;
  }
  auto [left, right] = weft::fork_join([depth] { return fork_tree(depth - 1); },
                                       [depth] { return fork_tree(depth - 1); });
  return left + right;
}

int group_tree(int depth) {
  if (depth == 0) {
    spend_time();
    return 1;
  }
  std::atomic<int> sum{0};
  weft::task_group group;
  for (int i = 0; i < 3; ++i) {
    group.run([&sum, depth] { sum += group_tree(depth - 1); });
  }
  group.wait();
  return sum.load();
}

weft::lazy_task<int> coroutine_tree(int depth) {
  if (depth == 0) {
    spend_time();
    co_return 1;
  }
  auto [left, right] = co_await weft::fork(coroutine_tree(depth - 1), coroutine_tree(depth - 1));
  co_return left + right;
}

/// Workers, and stacks beyond one for each.
class NoStackLeft : public testing::TestWithParam<std::tuple<int, int>> {
 protected:
  [[nodiscard]] static int num_workers() { return std::get<0>(GetParam()); }
  weft::runtime runtime_{with_stacks(std::get<0>(GetParam()), std::get<1>(GetParam()))};
};

INSTANTIATE_TEST_SUITE_P(WorkersAndSpareStacks,
                         NoStackLeft,
                         testing::Combine(testing::Values(1, 2, 4), testing::Values(0, 1, 3)));

TEST_P(NoStackLeft, forks_join) {
  for (int i = 0; i < num_repetitions; ++i) {
    EXPECT_EQ(runtime_.run([] { return fork_tree(9); }), 512);
  }
}

TEST_P(NoStackLeft, a_fork_that_fails_waits_for_its_other_part) {
  for (int i = 0; i < num_repetitions; ++i) {
    const bool is_caught = runtime_.run([] {
      bool has_begun = false;
      bool has_ended = false;
      try {
        weft::fork_join(
            []() -> int {
              fork_tree(5);
              throw weft::error("first");
            },
            [&] {
              has_begun = true;
              fork_tree(6);
              has_ended = true;
              return 0;
            });
      } catch (const weft::error&) {
        return has_begun == has_ended;
      }
      return false;
    });
    EXPECT_TRUE(is_caught);
  }
}

TEST_P(NoStackLeft, groups_join) {
  for (int i = 0; i < num_repetitions; ++i) {
    EXPECT_EQ(runtime_.run([] { return group_tree(5); }), 243);
  }
}

TEST_P(NoStackLeft, tasks_wait_for_another_runtime) {
  weft::runtime other(with_stacks(2, 0));
  std::atomic<int> sum{0};
  runtime_.run([&] {
    weft::task_group group;
    for (int i = 0; i < 20; ++i) {
      group.run([&] { sum += other.run([] { return fork_tree(4); }); });
    }
  });
  EXPECT_EQ(sum.load(), 20 * 16);
}

TEST_P(NoStackLeft, coroutines_are_waited_for) {
  for (int i = 0; i < num_repetitions; ++i) {
    const int sum = runtime_.run([] {
      auto [left, right] = weft::fork_join([] { return weft::blocking_wait(coroutine_tree(6)); },
                                           [] { return weft::blocking_wait(coroutine_tree(6)); });
      return left + right;
    });
    EXPECT_EQ(sum, 128);
  }
}

TEST_P(NoStackLeft, threads_and_blocking_calls_are_waited_for) {
  std::atomic<int> sum{0};
  runtime_.run([&] {
    for (int i = 0; i < num_repetitions; ++i) {
      weft::jthread thread([&] { sum += fork_tree(4); });
      sum += weft::blocking([] { return 1; });
    }
  });
  EXPECT_EQ(sum.load(), num_repetitions * 17);
}

TEST_P(NoStackLeft, a_future_stays_valid_until_its_value_could_be_waited_for) {
  for (int i = 0; i < num_repetitions; ++i) {
    weft::promise<int> promise;
    std::atomic<bool> has_failed{false};
    std::thread outsider([&] {
      watch_for(has_failed);
      promise.set_value(7);
    });
    const int value = runtime_.run([&] {
      weft::future<int> future = promise.get_future();
      for (;;) {
        has_failed = std::get<1>(GetParam()) != 0;  // the wait would take the last spare one
        try {
          return future.get();
        } catch (const weft::error&) {
          EXPECT_TRUE(future.valid());
          has_failed = true;
          std::this_thread::yield();
        }
      }
    });
    outsider.join();
    EXPECT_EQ(value, 7);
  }
}

TEST_P(NoStackLeft, whoever_waits_for_futures_has_their_value_or_an_error) {
  std::atomic<int> num_values{0};
  std::atomic<int> num_errors{0};
  runtime_.run([&] {
    weft::task_group group;
    for (int i = 0; i < 200; ++i) {
      group.run([&] {
        weft::future<int> first = weft::async([] { return fork_tree(3); });
        weft::future<int> second = weft::async([] { return fork_tree(3); });
        try {
          num_values += first.get() + second.get() == 16 ? 1 : 1000;
        } catch (const weft::error&) {
          ++num_errors;
        }
      });
    }
  });
  EXPECT_EQ(num_values + num_errors, 200);
}

TEST_P(NoStackLeft, a_mutex_is_locked_or_as_it_was) {
  constexpr int num_uses = 16 * 200 + 500;
  weft::mutex mutex;
  int num_locks = 0;
  std::atomic<int> num_errors{0};
  auto use = [&](int count) {
    for (int i = 0; i < count; ++i) {
      try {
        const std::lock_guard guard(mutex);
        ++num_locks;
        spend_time();
      } catch (const weft::error&) {
        ++num_errors;
      }
    }
  };
  std::thread outsider([&] { use(500); });
  runtime_.run([&] {
    weft::task_group group;
    for (int i = 0; i < 16; ++i) {
      group.run([&] { use(200); });
    }
  });
  outsider.join();
  EXPECT_EQ(num_locks + num_errors, num_uses);
  // Nobody is thought to be on the way: an unlock wakes whoever waits.
  mutex.lock();
  std::thread next([&] { use(1); });
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  mutex.unlock();
  next.join();
  EXPECT_EQ(num_locks + num_errors, num_uses + 1);
}

/// A task and an OS thread take turns, and wait for theirs where they can.
template <class Condition>
void expect_turns(weft::runtime& runtime) {
  weft::mutex mutex;
  Condition condition;
  int turn = 0;
  auto play = [&](int first_turn) {
    for (int i = first_turn; i < 100; i += 2) {
      std::unique_lock lock(mutex, std::defer_lock);
      while (!lock.owns_lock()) {
        try {
          lock.lock();
        } catch (const weft::error&) {
          std::this_thread::yield();
        }
      }
      while (turn != i) {  // NOLINT(bugprone-infinite-loop): the other player changes it
        try {
          condition.wait(lock);
        } catch (const weft::error&) {
          EXPECT_TRUE(lock.owns_lock());
          lock.unlock();
          std::this_thread::yield();
          while (!lock.try_lock()) {
            std::this_thread::yield();
          }
        }
      }
      ++turn;
      condition.notify_all();
    }
  };
  std::thread outsider([&] { play(1); });
  runtime.run([&] { play(0); });
  outsider.join();
  EXPECT_EQ(turn, 100);
}

TEST_P(NoStackLeft, who_waits_for_a_condition_has_the_lock_afterwards) {
  expect_turns<weft::condition_variable>(runtime_);
}

TEST_P(NoStackLeft, who_cannot_wait_at_a_barrier_or_latch_has_not_arrived) {
  constexpr int num_tasks = 6;
  std::atomic<int> num_through{0};
  std::atomic<int> num_refused{0};
  weft::barrier barrier(num_tasks);
  weft::latch latch(num_tasks);
  runtime_.run([&] {
    weft::task_group group;
    for (int i = 0; i < num_tasks; ++i) {
      group.run([&] {
        auto pass = [&](auto arrive_and_wait, auto arrive) {
          try {
            arrive_and_wait();
            ++num_through;
          } catch (const weft::error&) {
            ++num_refused;
            arrive();
          }
        };
        pass([&] { barrier.arrive_and_wait(); }, [&] { static_cast<void>(barrier.arrive()); });
        pass([&] { latch.arrive_and_wait(); }, [&] { latch.count_down(); });
      });
    }
  });
  EXPECT_EQ(num_through + num_refused, 2 * num_tasks);
  EXPECT_TRUE(latch.try_wait());
}

/// A mutex that a task finds locked a few times.
struct reluctant_lock {
  void lock() { throw weft::error("no stack"); }
  bool try_lock() noexcept { return ++num_tries > 3; }
  int num_tries = 0;
};

TEST_P(NoStackLeft, a_lock_that_was_given_up_is_asked_for_until_it_is_had) {
  const int num_tries = runtime_.run([] {
    reluctant_lock lock;
    weft::tasks::detail::lock_again(lock);
    return lock.num_tries;
  });
  EXPECT_EQ(num_tries, 4);
}

/// A fork, within a task, of which another worker takes the second part.
template <class First, class Second>
void fork_to_another(const First& first, const Second& second) {
  std::atomic<bool> is_taken{false};
  weft::fork_join(
      [&] {
        watch_for(is_taken);
        first();
      },
      [&] {
        is_taken = true;
        second();
      });
}

TEST(JoinWithoutStack, runs_a_task_that_the_other_part_needs) {
  weft::runtime runtime(with_stacks(2, 0));
  std::atomic<bool> has_run{false};
  runtime.run([&] {
    fork_to_another([&] { weft::post([&] { has_run = true; }); }, [&] { watch_for(has_run); });
  });
  EXPECT_TRUE(has_run.load());
}

TEST(JoinWithoutStack, goes_on_as_a_task_that_became_ready) {
  weft::runtime runtime(with_stacks(2, 1));
  weft::event may_end;
  std::atomic<bool> has_joined{false};
  std::atomic<bool> is_other_busy{false};
  std::thread outsider;
  runtime.run([&] {
    weft::task_group group;
    fork_to_another(
        [&] {
          group.run([&] {  // for the other worker, once it has left its stack for the last one
            is_other_busy = true;
            watch_for(has_joined);
          });
          watch_for(is_other_busy);
          outsider = std::thread([&] { may_end.set(); });
        },
        [&] { may_end.wait(); });
    has_joined = true;
  });
  outsider.join();
  EXPECT_TRUE(has_joined.load());
}

TEST(JoinWithoutStack, has_another_task_above_it_that_does_not_wait) {
  weft::runtime runtime(with_stacks(2, 0));
  weft::mutex mutex;
  std::atomic<bool> has_run{false};
  runtime.run([&] {
    const weft::task_id below = weft::this_task::get_id();
    const std::lock_guard guard(mutex);
    fork_to_another(
        [&] {
          weft::post([&, below] {
            EXPECT_NE(weft::this_task::get_id(), below);
            EXPECT_THAT([&] { mutex.lock(); },
                        ThrowsMessage<weft::error>(HasSubstr("nested on a waiting task")));
            has_run = true;
          });
        },
        [&] { watch_for(has_run); });
    EXPECT_EQ(weft::this_task::get_id(), below);
  });
  EXPECT_TRUE(has_run.load());
}

std::atomic<bool> is_explained{false};

TEST(JoinWithoutStack, that_no_worker_will_end_is_explained) {
  weft::runtime runtime(with_stacks(1, 0));
  weft::runtime outside(with_stacks(1, 0));
  is_explained = false;
  const auto before = weft::set_message_sink([](std::string_view text) noexcept {
    is_explained = text.find("all stacks are in use") != std::string_view::npos &&
                   text.find("a task waits for run") != std::string_view::npos;
  });
  runtime.run([&] { outside.run([] { watch_for(is_explained); }); });
  weft::set_message_sink(before);
  EXPECT_TRUE(is_explained.load());
}

TEST(MutexWithoutStack, wakes_others_when_who_was_woken_gives_up) {
  weft::timed_mutex mutex;
  std::atomic<bool> is_waited_for{false};
  std::atomic<bool> is_locked_again{false};
  std::atomic<bool> has_failed{false};
  weft::runtime outside(with_stacks(1, 0));
  weft::runtime runtime(with_stacks(1, 1));
  mutex.lock();
  std::thread caller([&] {
    runtime.run([&] {
      weft::post([&] {  // on the last stack, once this task waits for the mutex
        is_waited_for = true;
        watch_for(is_locked_again);
        outside.run([&] { watch_for(has_failed); });  // the worker goes on as this task, woken
      });
      EXPECT_THROW(mutex.lock(), weft::error);
      has_failed = true;
    });
  });
  watch_for(is_waited_for);
  mutex.unlock();
  mutex.lock();
  is_locked_again = true;
  caller.join();

  std::thread next([&] {
    EXPECT_TRUE(mutex.try_lock_for(std::chrono::seconds(2)));
    mutex.unlock();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  mutex.unlock();
  next.join();
}

TEST(Stacks, are_needed_by_every_worker) {
  EXPECT_THAT([] { weft::runtime(with_stacks(4, -1)); },
              ThrowsMessage<weft::error>(HasSubstr("4 workers with 3 stacks")));
}

TEST(Stacks, that_are_all_in_use_are_an_error_that_says_what_to_do) {
  weft::runtime runtime(with_stacks(1, 0));
  weft::event never;
  EXPECT_THAT([&] { runtime.run([&] { never.wait(); }); },
              ThrowsMessage<weft::error>(
                  testing::AllOf(HasSubstr("all 1 stacks"), HasSubstr("--weft:max-stacks"))));
}

}  // namespace no_stack_left_test
