// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Task groups: every task once, waiting, exceptions in order, cancellation, and any number of
// workers.
#include "weft/tasks/task_group.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/tasks/detail/scheduler/identity.hpp"
#include "weft/tasks/event.hpp"
#include "weft/tasks/fork_join.hpp"
#include "weft/tasks/post.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/this_task.hpp"

#include "tests/tasks/with_workers.hpp"

namespace task_group_test {

using weft::tasks::detail::current_identity;
using weft::test::with_workers;

class TaskGroup : public testing::TestWithParam<int> {
 protected:
  weft::runtime runtime{with_workers(GetParam())};
};

TEST_P(TaskGroup, runs_every_task_once) {
  constexpr std::size_t num_tasks = 20'000;
  std::vector<std::atomic<int>> runs(num_tasks);

  runtime.run([&] {
    weft::task_group group;
    for (std::atomic<int>& run : runs) {
      group.run([&run] { ++run; });
    }
    group.wait();
  });

  for (const std::atomic<int>& run : runs) {
    ASSERT_EQ(run.load(), 1);
  }
}

/// Writes over what returned calls left on this stack.
[[gnu::noinline]] void write_over_stack() {
  std::array<volatile char, 4096> room;
  for (volatile char& c : room) {
    c = 1;
  }
}

// The maker may go on, and its frame end, as soon as the last task has seen that it waits.
TEST_P(TaskGroup, the_maker_goes_on_while_it_still_falls_asleep) {
  std::atomic<int> num_run{0};
  for (int round = 0; round < 300; ++round) {
    runtime.run([&] {
      weft::task_group group;
      std::atomic<bool> has_begun{false};
      std::atomic<bool> may_end{false};
      group.run([&] {
        has_begun = true;
        while (!may_end.load()) {
          weft::this_task::yield();
        }
        ++num_run;
      });
      weft::post([&may_end] { may_end = true; });
      if (GetParam() > 1) {
        while (!has_begun.load()) {
          weft::this_task::yield();
        }
      }
      group.wait();
      write_over_stack();
    });
  }

  EXPECT_EQ(num_run.load(), 300);
}

TEST_P(TaskGroup, can_be_used_again_after_wait) {
  std::atomic<int> sum{0};
  runtime.run([&] {
    weft::task_group group;
    for (int round = 1; round <= 100; ++round) {
      group.run([&] { ++sum; });
      group.run([&] { ++sum; });
      group.wait();
      ASSERT_EQ(sum.load(), 2 * round);
    }
  });
}

TEST_P(TaskGroup, wait_without_tasks_returns) {
  bool has_returned = false;
  runtime.run([&] {
    weft::task_group group;
    group.wait();
    has_returned = true;
  });

  EXPECT_TRUE(has_returned);
}

// The tree is the test
void grow(weft::task_group& group, std::atomic<long>& leaves, int depth) {
  if (depth == 0) {
    ++leaves;
    return;
  }
  for (int i = 0; i < 3; ++i) {
    group.run([&group, &leaves, depth] { grow(group, leaves, depth - 1); });
  }
}

TEST_P(TaskGroup, its_tasks_may_start_more_of_them) {
  std::atomic<long> leaves{0};

  runtime.run([&] {
    weft::task_group group;
    grow(group, leaves, 7);
    group.wait();
  });

  EXPECT_EQ(leaves.load(), 2187);
}

TEST_P(TaskGroup, nested_groups_wait_for_their_own) {
  const int sum = runtime.run([] {
    std::atomic<int> total{0};
    weft::task_group outer;
    for (int i = 0; i < 50; ++i) {
      outer.run([&] {
        std::atomic<int> part{0};
        weft::task_group inner;
        for (int j = 0; j < 20; ++j) {
          inner.run([&] { ++part; });
        }
        inner.wait();
        total += part.load();
      });
    }
    outer.wait();
    return total.load();
  });

  EXPECT_EQ(sum, 1000);
}

TEST_P(TaskGroup, exception_of_the_task_started_first_is_rethrown) {
  for (int round = 0; round < 50; ++round) {
    runtime.run([] {
      std::atomic<int> num_run{0};
      weft::task_group group;
      for (int i = 0; i < 20; ++i) {
        group.run([&num_run, i] {
          ++num_run;
          if (i % 5 == 3) {
            throw std::runtime_error(std::to_string(i));
          }
        });
      }
      try {
        group.wait();
        FAIL() << "nothing was thrown";
      } catch (const std::runtime_error& raised) {
        ASSERT_STREQ(raised.what(), "3");
      }
      ASSERT_EQ(num_run.load(), 20) << "one task's exception stops no other";
      group.run([&num_run] { ++num_run; });
      group.wait();
    });
  }
}

/// Says when it is destroyed.
class end_flag {
 public:
  explicit end_flag(std::atomic<bool>& flag) noexcept : flag_(&flag) {}
  end_flag(end_flag&& other) noexcept : flag_(std::exchange(other.flag_, nullptr)) {}
  end_flag(const end_flag&) = delete;
  end_flag& operator=(const end_flag&) = delete;
  ~end_flag() {
    if (flag_ != nullptr) {
      *flag_ = true;
    }
  }

 private:
  std::atomic<bool>* flag_;
};

/// Starts a task that throws 1 after the one of the second call has thrown 2.
class two_throwing_tasks {
 public:
  explicit two_throwing_tasks(weft::task_group& group) noexcept : group_(group) {}
  void start_first() {
    group_.run([this] {
      while (!has_thrown_) {
        weft::this_task::yield();
      }
      weft::this_task::yield();
      throw 1;
    });
  }
  void start_second() {
    group_.run([flag = end_flag(has_thrown_)] { throw 2; });
  }

 private:
  weft::task_group& group_;
  std::atomic<bool> has_thrown_{false};
};

int number_thrown_by(weft::task_group& group) {
  try {
    group.wait();
  } catch (int number) {
    return number;
  }
  return 0;
}

TEST_P(TaskGroup, exception_of_the_first_is_rethrown_to_an_ordinary_thread) {
  for (int round = 0; round < 50; ++round) {
    weft::task_group group;
    two_throwing_tasks tasks(group);
    tasks.start_first();
    tasks.start_second();

    ASSERT_EQ(number_thrown_by(group), 1);
  }
}

TEST_P(TaskGroup, exception_of_the_first_is_rethrown_if_a_task_of_the_group_started_it) {
  for (int round = 0; round < 50; ++round) {
    runtime.run([] {
      weft::task_group group;
      two_throwing_tasks tasks(group);
      group.run([&] {
        tasks.start_first();
        tasks.start_second();
      });

      ASSERT_EQ(number_thrown_by(group), 1);
    });
  }
}

TEST_P(TaskGroup, exception_of_the_first_is_rethrown_whether_the_maker_or_another_started_it) {
  for (const bool is_makers_first : {true, false}) {
    runtime.run([is_makers_first] {
      weft::task_group group;
      two_throwing_tasks tasks(group);
      for (int i = 0; i < 10; ++i) {
        group.run([] {});
      }
      if (is_makers_first) {
        tasks.start_first();
        std::jthread([&] { tasks.start_second(); }).join();
      } else {
        std::jthread([&] { tasks.start_first(); }).join();
        tasks.start_second();
      }

      ASSERT_EQ(number_thrown_by(group), 1);
    });
  }
}

TEST_P(TaskGroup, canceled_tasks_do_not_begin) {
  std::atomic<int> num_run{0};
  runtime.run([&] {
    weft::task_group group;
    group.cancel();
    EXPECT_TRUE(group.is_canceled());
    for (int i = 0; i < 100; ++i) {
      group.run([&] { ++num_run; });
    }
    group.wait();
    EXPECT_FALSE(group.is_canceled()) << "a group that was waited for starts anew";
  });

  EXPECT_EQ(num_run.load(), 0);
}

TEST_P(TaskGroup, works_from_an_ordinary_thread_with_move_only_callables) {
  std::atomic<int> sum{0};
  weft::task_group group;
  for (int i = 1; i <= 100; ++i) {
    group.run([&sum, value = std::make_unique<int>(i)] { sum += *value; });
  }
  group.wait();

  EXPECT_EQ(sum.load(), 5050);
}

TEST_P(TaskGroup, tasks_of_others_on_the_own_deque_are_left_alone) {
  runtime.run([&] {
    weft::task_group outer;
    std::atomic<bool> is_inner_done{false};
    weft::task_group inner;
    inner.run([] {});
    // Waiting for `inner` reaches the task of `outer`, which lies above it: it may run as a task
    // of its own, but not as a call of the task that waits.
    outer.run([&, who_waits = current_identity()] {
      EXPECT_TRUE(is_inner_done.load() || current_identity() != who_waits);
    });
    inner.wait();
    is_inner_done = true;
    outer.wait();
  });
}

/// Regions after which a thread is known to wait soon.
void wait_soon_often() {
  for (int round = 0; round < 200; ++round) {
    weft::task_group group;
    group.run([] {});
    group.run([] {});
    group.wait();
  }
}

TEST(TaskGroupOfAThread, the_thread_runs_tasks_that_it_waits_for_soon) {
  const std::thread::id here = std::this_thread::get_id();
  bool has_run_here = false;
  while (!has_run_here) {  // else the test's time limit ends it
    weft::task_group group;
    std::array<std::thread::id, 2> ran_on;
    group.run([&] { ran_on[0] = std::this_thread::get_id(); });
    group.run([&] { ran_on[1] = std::this_thread::get_id(); });
    group.wait();
    has_run_here = ran_on[0] == here || ran_on[1] == here;
    ASSERT_NE(ran_on[0], std::thread::id());
    ASSERT_NE(ran_on[1], std::thread::id());
  }
}

TEST(TaskGroupOfAThread, a_worker_runs_a_task_that_is_not_waited_for_after_all) {
  for (int round = 0; round < 5; ++round) {
    wait_soon_often();
    weft::task_group group;
    std::atomic<int> num_run{0};
    group.run([&] { ++num_run; });
    group.run([&] { ++num_run; });
    while (num_run.load() != 2) {  // as above
      std::this_thread::yield();
    }
    group.wait();
    ASSERT_EQ(num_run.load(), 2);
  }
}

TEST(TaskGroupOfAThread, has_many_others_open_at_once) {
  constexpr int num_groups = 100;
  std::vector<std::unique_ptr<weft::task_group>> groups;
  std::atomic<int> num_run{0};
  for (int i = 0; i < num_groups; ++i) {
    groups.push_back(std::make_unique<weft::task_group>());
    groups.back()->run([&] { ++num_run; });
    groups.back()->run([&] { ++num_run; });
  }
  for (auto& each : groups) {
    each->wait();
  }
  EXPECT_EQ(num_run.load(), 2 * num_groups);
}

TEST(TaskGroupOfAThread, another_thread_may_end_it) {
  std::atomic<int> num_run{0};
  auto group = std::make_unique<weft::task_group>();
  group->run([&] { ++num_run; });
  std::thread([&] { group.reset(); }).join();
  EXPECT_EQ(num_run.load(), 1);
}

TEST(TaskGroupOfAThread, tasks_may_wait_for_each_other_and_start_more) {
  for (int round = 0; round < 300; ++round) {
    weft::task_group group;
    weft::event first;
    weft::event second;
    std::atomic<int> num_run{0};
    group.run([&] {
      first.wait();
      second.set();
      ++num_run;
    });
    group.run([&] {
      group.run([&] { ++num_run; });
      first.set();
      second.wait();
      ++num_run;
    });
    group.wait();
    ASSERT_EQ(num_run.load(), 3);
  }
}

TEST(TaskGroupOfAThread, many_threads_have_groups_at_once) {
  constexpr int num_threads = 4;
  constexpr int num_rounds = 500;
  std::atomic<int> num_run{0};
  {
    std::vector<std::jthread> threads;
    threads.reserve(num_threads);
    for (int i = 0; i < num_threads; ++i) {
      threads.emplace_back([&, i] {
        for (int round = 0; round < num_rounds; ++round) {
          weft::task_group group;
          for (int task = 0; task <= i; ++task) {
            group.run([&] { weft::fork_join([&] { ++num_run; }, [&] { ++num_run; }); });
          }
          if (round % 7 == 0) {
            std::this_thread::yield();
          }
          group.wait();
        }
      });
    }
  }

  EXPECT_EQ(num_run.load(), 2 * (1 + 2 + 3 + 4) * num_rounds);
}

TEST_P(TaskGroup, an_exception_cancels_the_others_if_the_group_says_so) {
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> num_run{0};
    std::atomic<bool> has_asked{false};
    runtime.run([&] {
      weft::task_group outer(weft::on_exception::cancel_others);
      std::atomic<bool> has_begun{false};
      for (int i = 0; i < 50; ++i) {
        outer.run([&] { ++num_run; });
      }
      outer.run([&] {
        weft::task_group inner;
        inner.run([&] {
          has_begun = true;
          while (!weft::this_task::stop_requested()) {
            weft::this_task::yield();
          }
          has_asked = true;
        });
        inner.wait();
      });
      outer.run([&] {
        weft::task_group inner;
        inner.run([&] {
          while (!has_begun) {
            weft::this_task::yield();
          }
          throw 1;
        });
        EXPECT_THROW(inner.wait(), int);
        inner.run([] { throw 2; });
        inner.wait();  // leaves the task
      });
      EXPECT_EQ(number_thrown_by(outer), 2);
      outer.run([&] { num_run += 1000; });
      outer.wait();
    });

    ASSERT_TRUE(has_asked.load());
    ASSERT_GE(num_run.load(), 1000);
    ASSERT_LE(num_run.load(), 1050);
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, TaskGroup, testing::Values(1, 2, 4, 16));

}  // namespace task_group_test
