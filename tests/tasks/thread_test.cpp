// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that are tasks: joining, stopping, identity and wrong use.
#include "weft/tasks/thread.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/base/error.hpp"
#include "weft/tasks/event.hpp"
#include "weft/tasks/mutex.hpp"
#include "weft/tasks/this_task.hpp"

#include "tasks/on_workers.hpp"
#include "tasks/with_workers.hpp"

namespace thread_test {

class Thread : public weft::test::OnWorkers {};

TEST_P(Thread, join_waits_for_the_end) {
  runtime_.run([] {
    std::atomic<int> num_ended{0};
    std::vector<weft::thread> threads;
    threads.reserve(20);
    for (int i = 0; i < 20; ++i) {
      threads.emplace_back([&] {
        weft::this_task::yield();
        ++num_ended;
      });
    }
    for (weft::thread& thread : threads) {
      thread.join();
      EXPECT_FALSE(thread.joinable());
    }
    EXPECT_EQ(num_ended, 20);
  });
}

TEST_P(Thread, arguments_are_moved_and_end_with_the_thread) {
  runtime_.run([] {
    auto value = std::make_shared<int>(42);
    const std::weak_ptr<int> watch = value;
    int result = 0;
    weft::thread thread([](const std::shared_ptr<int>& v, int& out) { out = *v; },
                        std::move(value),
                        std::ref(result));
    thread.join();

    EXPECT_EQ(result, 42);
    EXPECT_TRUE(watch.expired());
  });
}

TEST_P(Thread, has_the_id_that_its_body_sees) {
  runtime_.run([] {
    weft::task_id inside;
    weft::event may_end;
    weft::thread thread([&] {
      inside = weft::this_task::get_id();
      may_end.wait();
      EXPECT_EQ(weft::this_task::get_id(), inside) << "also after a wait";
    });
    const weft::task_id outside = thread.get_id();
    may_end.set();
    thread.join();

    EXPECT_EQ(inside, outside);
    EXPECT_NE(inside, weft::this_task::get_id());
    EXPECT_EQ(thread.get_id(), weft::task_id());
  });
}

TEST_P(Thread, ids_of_those_that_live_at_once_differ) {
  weft::mutex mutex;
  std::set<weft::task_id> ids;
  weft::event all_here;

  run_tasks_and_threads(16, [&](int) {
    {
      const std::lock_guard guard(mutex);
      ids.insert(weft::this_task::get_id());
      if (ids.size() == 16) {
        all_here.set();
      }
    }
    all_here.wait();
  });

  EXPECT_EQ(ids.size(), 16);
}

TEST_P(Thread, a_detached_one_ends_before_its_runtime) {
  std::atomic<bool> has_ended{false};
  {
    weft::runtime other(weft::test::with_workers(GetParam()));
    other.run([&] {
      weft::thread([&] {
        weft::this_task::sleep_for(std::chrono::milliseconds(5));
        has_ended = true;
      }).detach();
    });
  }
  EXPECT_TRUE(has_ended);
}

TEST_P(Thread, a_jthread_is_stopped_and_joined) {
  runtime_.run([] {
    std::atomic<bool> was_stopped{false};
    {
      const weft::jthread thread([&](const weft::stop_token& token) {
        while (!token.stop_requested()) {
          weft::this_task::sleep_for(std::chrono::microseconds(100));
        }
        was_stopped = true;
      });
    }
    EXPECT_TRUE(was_stopped);
  });
}

TEST_P(Thread, can_be_moved_and_swapped) {
  runtime_.run([] {
    weft::jthread one([] {});
    weft::jthread other;
    EXPECT_FALSE(other.joinable());
    other = std::move(one);
    EXPECT_TRUE(other.joinable());
    swap(one, other);
    EXPECT_TRUE(one.joinable());
  });
}

TEST(ThreadWrongUse, is_a_named_error) {
  weft::thread none;
  EXPECT_THROW(none.join(), weft::error);
  EXPECT_THROW(none.detach(), weft::error);

  weft::event is_there;
  weft::thread thread;
  std::atomic<bool> was_refused{false};
  thread = weft::thread([&] {
    is_there.wait();
    try {
      thread.join();
    } catch (const weft::error&) {
      was_refused = true;
    }
  });
  is_there.set();
  while (!was_refused) {
    weft::this_task::yield();
  }
  thread.join();
}

TEST(ThreadWrongUse, an_exception_that_leaves_it_ends_the_program) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(weft::thread([] { throw 1; }).join(), "");
  EXPECT_DEATH(weft::thread([] {}), "");
}

WEFT_TEST_ON_WORKERS(Thread);

}  // namespace thread_test
