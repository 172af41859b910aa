// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Task groups that are canceled: nested ones, their tokens, parts that thieves run, and any moment.
#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>

#include <gtest/gtest.h>

#include "weft/tasks/event.hpp"
#include "weft/tasks/fork_join.hpp"
#include "weft/tasks/parallel_for.hpp"
#include "weft/tasks/post.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/stop_token.hpp"
#include "weft/tasks/task_group.hpp"
#include "weft/tasks/this_task.hpp"

#include "tests/tasks/with_workers.hpp"

namespace task_group_cancel_test {

using weft::test::with_workers;

class TaskGroupCancel : public testing::TestWithParam<int> {
 protected:
  weft::runtime runtime{with_workers(GetParam())};
};

TEST_P(TaskGroupCancel, wait_tells_how_it_ended) {
  runtime.run([] {
    weft::task_group group;
    group.run([] {});
    EXPECT_EQ(group.wait(), weft::task_group_status::complete);
    group.run([&] { group.cancel(); });
    EXPECT_EQ(group.wait(), weft::task_group_status::canceled);
    EXPECT_EQ(group.wait(), weft::task_group_status::complete);
  });
}

TEST_P(TaskGroupCancel, cancel_reaches_nested_groups) {
  std::atomic<int> num_run{0};
  runtime.run([&] {
    weft::task_group outer;
    outer.run([&] {
      weft::task_group middle;
      middle.run([&] {
        weft::task_group inner;
        EXPECT_FALSE(inner.is_canceled());
        outer.cancel();
        EXPECT_TRUE(inner.is_canceled());
        inner.run([&] { ++num_run; });
        EXPECT_EQ(inner.wait(), weft::task_group_status::canceled);
        EXPECT_TRUE(inner.is_canceled()) << "the outer group still is";
        weft::task_group late;
        late.run([&] { ++num_run; });
        EXPECT_EQ(late.wait(), weft::task_group_status::canceled);
      });
      EXPECT_EQ(middle.wait(), weft::task_group_status::canceled);
    });
    EXPECT_EQ(outer.wait(), weft::task_group_status::canceled);

    outer.run([&] {
      weft::task_group inner;
      inner.run([&] { num_run += 100; });
      EXPECT_EQ(inner.wait(), weft::task_group_status::complete);
    });
    EXPECT_EQ(outer.wait(), weft::task_group_status::complete);
  });

  EXPECT_EQ(num_run.load(), 100);
}

TEST_P(TaskGroupCancel, cancel_of_a_nested_group_leaves_those_around_it) {
  std::atomic<int> num_run{0};
  runtime.run([&] {
    weft::task_group outer;
    outer.run([&] {
      weft::task_group inner;
      inner.cancel();
      EXPECT_TRUE(inner.is_canceled());
      EXPECT_FALSE(outer.is_canceled());
      EXPECT_FALSE(weft::this_task::stop_requested());
      inner.run([&] { num_run += 100; });
      EXPECT_EQ(inner.wait(), weft::task_group_status::canceled);
      outer.run([&] { ++num_run; });
    });
    EXPECT_EQ(outer.wait(), weft::task_group_status::complete);
  });

  EXPECT_EQ(num_run.load(), 1);
}

TEST_P(TaskGroupCancel, running_tasks_can_ask_whether_to_stop) {
  std::atomic<int> num_stopped{0};
  EXPECT_FALSE(weft::this_task::stop_requested());
  runtime.run([&] {
    EXPECT_FALSE(weft::this_task::stop_requested());
    std::atomic<int> num_begun{0};
    weft::task_group group;
    for (int i = 0; i < 3; ++i) {
      group.run([&] {
        ++num_begun;
        while (!weft::this_task::stop_requested()) {
          weft::this_task::yield();
        }
        ++num_stopped;
      });
    }
    group.run([&] {
      while (num_begun < 3) {
        weft::this_task::yield();
      }
      group.cancel();
    });
    group.wait();
    EXPECT_FALSE(weft::this_task::stop_requested());
  });

  EXPECT_EQ(num_stopped.load(), 3);
}

TEST_P(TaskGroupCancel, a_part_that_a_thief_runs_belongs_to_the_group_of_its_fork) {
  bool has_seen_inner = true;
  bool has_seen_outer = false;
  runtime.run([&] {
    weft::task_group outer;
    outer.run([&] {
      weft::event has_canceled;
      weft::event has_looked;
      weft::fork_join(
          [&] {
            weft::task_group inner;
            inner.run([&] {
              inner.cancel();
              has_canceled.set();
              has_looked.wait();  // so that the other part is not called here
            });
            inner.wait();
          },
          [&] {
            has_canceled.wait();
            weft::fork_join(
                [&] {
                  has_seen_inner = weft::this_task::stop_requested();
                  outer.cancel();
                },
                [] {});
            has_seen_outer = weft::this_task::stop_requested();
            has_looked.set();
          });
    });
    outer.wait();
  });

  EXPECT_FALSE(has_seen_inner);
  EXPECT_TRUE(has_seen_outer);
}

TEST_P(TaskGroupCancel, cancel_reaches_groups_in_all_parts_of_a_loop) {
  std::atomic<int> num_wrong{0};
  runtime.run([&] {
    weft::task_group group;
    group.run([&] {
      group.cancel();
      weft::parallel_for(500,
                         [&](std::size_t i) {
                           weft::task_group nested;
                           if (i % 8 == 0) {
                             weft::this_task::yield();
                           }
                           nested.run([&] { ++num_wrong; });
                           nested.wait();
                           num_wrong += weft::this_task::stop_requested() ? 0 : 1;
                         },
                         {.grain = 1});
    });
    group.wait();
  });

  EXPECT_EQ(num_wrong.load(), 0);
}

TEST_P(TaskGroupCancel, tasks_started_otherwise_belong_to_no_group) {
  std::atomic<int> num_asked{0};
  runtime.run([&] {
    weft::task_group group;
    weft::event is_over;
    group.run([&] {
      group.cancel();
      weft::post([&] {
        num_asked += weft::this_task::stop_requested() ? 1 : 0;
        is_over.set();
      });
      is_over.wait();
    });
    group.wait();
  });

  EXPECT_EQ(num_asked.load(), 0);
}

TEST_P(TaskGroupCancel, cancel_calls_callbacks_of_nested_groups) {
  std::atomic<int> num_called{0};
  runtime.run([&] {
    EXPECT_FALSE(weft::this_task::get_stop_token().stop_possible());
    weft::task_group outer;
    weft::event is_waiting;
    outer.run([&] {
      weft::task_group inner;
      inner.run([&] {
        weft::event is_asked;
        const weft::stop_callback ask(weft::this_task::get_stop_token(), [&] {
          ++num_called;
          is_asked.set();
        });
        is_waiting.set();
        is_asked.wait();
      });
      inner.wait();
    });
    outer.run([&] {
      is_waiting.wait();
      outer.cancel();
      EXPECT_TRUE(outer.get_stop_token().stop_requested());
    });
    outer.wait();
  });

  EXPECT_EQ(num_called.load(), 1);
}

TEST_P(TaskGroupCancel, a_token_stays_as_it_was_when_its_group_is_used_again) {
  runtime.run([] {
    weft::task_group group;
    group.cancel();
    const weft::stop_token first = group.get_stop_token();
    EXPECT_TRUE(first.stop_requested()) << "canceled before there was a token";
    group.wait();
    const weft::stop_token second = group.get_stop_token();
    EXPECT_TRUE(first.stop_requested());
    EXPECT_FALSE(second.stop_requested());
    group.cancel();
    EXPECT_TRUE(second.stop_requested());
    group.wait();
  });
}

/// A tree of groups, in which one task cancels the outermost.
void grow_and_cancel(weft::task_group& outermost, std::atomic<int>& num_left, int depth) {
  if (num_left.fetch_sub(1) == 1) {
    outermost.cancel();
  }
  if (depth == 0) {
    return;
  }
  weft::task_group group;
  for (int i = 0; i < 3; ++i) {
    group.run([&, depth] { grow_and_cancel(outermost, num_left, depth - 1); });
  }
  const weft::task_group_status ended = group.wait();
  EXPECT_TRUE(ended == weft::task_group_status::complete || outermost.is_canceled());
}

TEST_P(TaskGroupCancel, cancellation_at_any_moment_ends_all_nested_groups) {
  for (int round = 1; round <= 60; ++round) {
    const int num_tasks = 1 + 3 + 9 + 27 + 81;
    std::atomic<int> num_left{round * 2};
    const weft::task_group_status ended = runtime.run([&] {
      weft::task_group outermost;
      outermost.run([&] { grow_and_cancel(outermost, num_left, 4); });
      return outermost.wait();
    });

    ASSERT_EQ(ended, weft::task_group_status::canceled);
    ASSERT_LE(round * 2 - num_left.load(), num_tasks);
  }
}

/// Calls `at_the_end` in a task of a group in a task of a group, and so on.
void nest(int depth, const std::function<void()>& at_the_end) {
  weft::task_group group;
  group.run([&] { depth == 0 ? at_the_end() : nest(depth - 1, at_the_end); });
  group.wait();
}

TEST_P(TaskGroupCancel, may_be_nested_deeper_than_a_stack) {
  bool has_been_asked = false;
  bool has_seen_it = false;
  runtime.run([&] {
    weft::task_group outermost;
    outermost.run([&] {
      nest(10'000, [&] {
        outermost.cancel();
        has_seen_it = weft::this_task::stop_requested();
        has_been_asked = weft::this_task::get_stop_token().stop_requested();
      });
    });
    outermost.wait();
  });

  EXPECT_TRUE(has_seen_it);
  EXPECT_TRUE(has_been_asked);
}

TEST_P(TaskGroupCancel, others_may_cancel_and_ask_while_it_is_used_again) {
  runtime.run([&] {
    weft::task_group group;
    std::atomic<bool> is_over{false};
    std::jthread canceling([&] {
      while (!is_over) {
        group.cancel();
        static_cast<void>(group.is_canceled());
        static_cast<void>(group.get_stop_token());
      }
    });
    for (int round = 0; round < 200; ++round) {
      group.run([] { weft::this_task::yield(); });
      group.wait();
    }
    is_over = true;
    canceling.join();
    group.wait();
    EXPECT_FALSE(group.is_canceled());
    EXPECT_FALSE(group.get_stop_token().stop_requested());
  });
}

INSTANTIATE_TEST_SUITE_P(Workers, TaskGroupCancel, testing::Values(1, 2, 4, 16));

}  // namespace task_group_cancel_test
