// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Standing still: found, explained, and told from waiting for a runtime that goes on.
#include "tasks/waiting/standstill.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <stdlib.h>  // setenv is POSIX's
#include <unistd.h>

#include "weft/base/message.hpp"
#include "weft/tasks/blocking.hpp"
#include "weft/tasks/channel.hpp"
#include "weft/tasks/deadlock.hpp"
#include "weft/tasks/detail/scheduler/forked.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"
#include "weft/tasks/event.hpp"
#include "weft/tasks/fork_join.hpp"
#include "weft/tasks/lock.hpp"
#include "weft/tasks/mutex.hpp"
#include "weft/tasks/post.hpp"
#include "weft/tasks/promise.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_options.hpp"

#include "tasks/runtime/runtime_access.hpp"
#include "tasks/scheduler/scheduler.hpp"
#include "tests/support/child_status.hpp"
#include "tests/tasks/with_workers.hpp"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WEFT_THREAD_SANITIZER
#endif
#endif

namespace standstill_test {

namespace detail = weft::tasks::detail;

using testing::HasSubstr;
using weft::tasks::detail::wait;
using weft::tasks::detail::wait_reason;
using weft::tasks::detail::waiter;
using weft::test::child_status;

using weft::test::with_workers;

/// Suspends the calling task; another thread may end that through `node`.
void wait_for_ever(std::atomic<waiter*>& node) {
  const wait_reason why{"test", &node};
  wait(why, [&](waiter& mine) noexcept {
    node.store(&mine);
    return true;
  });
}

std::string& received() {
  static std::string text;
  return text;
}

std::atomic<bool>& is_explained() {
  static std::atomic<bool> flag{false};
  return flag;
}

void keep(std::string_view text) noexcept {
  received() += text;
  is_explained() = true;
}

TEST(Standstill, is_explained_with_kind_and_source_line) {
  received().clear();
  is_explained() = false;
  const weft::message_sink before = weft::set_message_sink(keep);
  {
    weft::runtime runtime(with_workers(2));
    std::atomic<waiter*> node{nullptr};
    std::jthread rescuer([&] {
      while (!is_explained()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
      weft::tasks::detail::resume(*node.load());
    });
    runtime.run([&] { wait_for_ever(node); });
  }
  weft::set_message_sink(before);

  EXPECT_NE(received().find("no task can go on"), std::string::npos) << received();
  EXPECT_NE(received().find("a task waits for test at 0x"), std::string::npos) << received();
  EXPECT_NE(received().find("standstill_test.cpp:"), std::string::npos) << received();
}

/// What a standstill says when a part of a fork that others took never ends.
template <class Fork>
std::string standstill_of(Fork fork) {
  received().clear();
  const weft::message_sink before = weft::set_message_sink(keep);
  {
    weft::runtime runtime(with_workers(2));
    std::atomic<waiter*> node{nullptr};
    std::jthread rescuer([&] {
      while (!detail::look_for_standstill()) {
        std::this_thread::yield();
      }
      detail::resume(*node.load());
    });
    auto until_taken = [&node] {
      while (node.load() == nullptr) {
        std::this_thread::yield();
      }
    };
    auto last = [&node] { wait_for_ever(node); };
    runtime.run([&] { fork(until_taken, last); });
  }
  weft::set_message_sink(before);
  return received();
}

TEST(Standstill, names_the_line_of_a_fork_of_any_number_of_parts) {
  const std::string of_three =
      standstill_of([](auto& first, auto& last) { weft::fork_join(first, [] {}, last); });
  const std::string of_four =
      standstill_of([](auto& first, auto& last) { weft::fork_join(first, [] {}, [] {}, last); });
  const std::string of_five = standstill_of(
      [](auto& first, auto& last) { weft::fork_join(first, [] {}, [] {}, [] {}, last); });

  for (const std::string& text : {of_three, of_four}) {
    const std::size_t line = text.find("for fork_join at 0x");
    ASSERT_NE(line, std::string::npos) << text;
    EXPECT_LT(text.find("standstill_test.cpp:", line), text.find('\n', line)) << text;
  }
  const std::size_t line = of_five.find("for fork_join at 0x");
  ASSERT_NE(line, std::string::npos) << of_five;
  // Compilers spell the types of closures in their own ways.
  const std::size_t named =
      std::min(of_five.find("standstill_of", line), of_five.find("standstill_test.cpp", line));
  EXPECT_LT(named, of_five.find('\n', line)) << of_five;
}

TEST(StandstillDeathTest, raises_or_aborts_by_choice) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        weft::runtime_options options = with_workers(1);
        options.deadlock = weft::deadlock_action::raise;
        auto* runtime = new weft::runtime(options);  // its tasks never end
        std::atomic<waiter*> node{nullptr};
        try {
          runtime->run([&] { wait_for_ever(node); });
        } catch (const weft::deadlock_error& raised) {
          std::_Exit(
              std::string(raised.what()).find("standstill_test.cpp") != std::string::npos ? 7 : 1);
        }
      },
      testing::ExitedWithCode(7),
      "");
  EXPECT_DEATH(
      {
        weft::runtime_options options = with_workers(1);
        options.deadlock = weft::deadlock_action::abort;
        weft::runtime runtime(options);
        std::atomic<waiter*> node{nullptr};
        runtime.run([&] { wait_for_ever(node); });
      },
      "no task can go on");
}

constexpr bool has_thread_of_sanitizer =
#if defined(__SANITIZE_THREAD__) || defined(WEFT_THREAD_SANITIZER)
    true;
#else
    false;
#endif

TEST(StandstillDeathTest, is_found_where_only_a_thread_waits) {
  if (has_thread_of_sanitizer) {
    GTEST_SKIP() << "ThreadSanitizer's own thread may be one that ends the wait";
  }
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        setenv("WEFT_DEADLOCK", "abort", 1);
        weft::promise<int> never_set;
        never_set.get_future().get();
      },
      "a thread waits for future at 0x.*standstill_test.cpp");
  EXPECT_DEATH(
      {
        weft::runtime_options options = with_workers(2);
        options.deadlock = weft::deadlock_action::abort;
        weft::runtime runtime(options);
        runtime.run([] {});
        weft::event never_set;
        never_set.wait();
      },
      "a thread waits for event at 0x.*standstill_test.cpp");
}

TEST(StandstillDeathTest, is_raised_where_only_a_thread_waits) {
  if (has_thread_of_sanitizer) {
    GTEST_SKIP() << "ThreadSanitizer's own thread may be one that ends the wait";
  }
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv("WEFT_DEADLOCK", "throw", 1);
        try {
          weft::promise<int> never_set;
          never_set.get_future().get();
        } catch (const weft::deadlock_error&) {
          std::_Exit(7);
        }
      },
      testing::ExitedWithCode(7),
      "");
  EXPECT_EXIT(
      {
        setenv("WEFT_DEADLOCK", "throw", 1);
        weft::channel<int> empty;
        try {
          static_cast<void>(empty.receive());
        } catch (const weft::deadlock_error&) {
          empty.send(7);  // it is as if nobody had waited
          std::_Exit(empty.receive());
        }
      },
      testing::ExitedWithCode(7),
      "");
}

TEST(Standstill, is_none_while_another_thread_may_end_the_wait_of_one) {
  received().clear();
  const weft::message_sink before = weft::set_message_sink(keep);
  std::atomic<bool> may_end{false};
  std::jthread other([&] {
    while (!may_end.load()) {
      std::this_thread::yield();
    }
  });
  const wait_reason why{"test", &may_end};
  const waiter node(why);
  const auto now = std::chrono::steady_clock::now();

  EXPECT_FALSE(detail::look_for_standstill_of_thread(node, now - std::chrono::seconds(50)));
  EXPECT_EQ(received(), "");
  EXPECT_TRUE(detail::look_for_standstill_of_thread(node, now - std::chrono::seconds(61)));
  EXPECT_THAT(received(), HasSubstr("a thread waits for test at 0x"));

  may_end = true;
  weft::set_message_sink(before);
}

/// What a standstill says of a task that `wait_in_library` lets wait for `gate`, locked before.
template <class Wait>
std::string standstill_behind_mutex(Wait wait_in_library) {
  received().clear();
  const weft::message_sink before = weft::set_message_sink(keep);
  {
    weft::runtime runtime(with_workers(2));
    weft::mutex gate;
    bool has_gone_on = false;
    gate.lock();
    std::jthread rescuer([&] {
      while (!detail::look_for_standstill()) {
        std::this_thread::yield();
      }
      EXPECT_FALSE(has_gone_on);
    });
    weft::event has_ended;
    runtime.run([&] {
      weft::post([&] {
        wait_in_library(gate);
        has_gone_on = true;
        has_ended.set();
      });
    });
    rescuer.join();
    gate.unlock();
    has_ended.wait();
    EXPECT_TRUE(has_gone_on) << "its stack was looked at and left as it was";
  }
  weft::set_message_sink(before);
  return received();
}

[[gnu::noinline]] void hold_by_std(weft::mutex& gate) {
  weft::mutex other;
  const std::scoped_lock both(gate, other);
}

[[gnu::noinline]] void hold_by_guard(weft::mutex& gate) { const std::lock_guard guard(gate); }

[[gnu::noinline]] void hold_by_weft(weft::mutex& gate) {
  weft::mutex other;
  const weft::scoped_lock both(gate, other);
}

TEST(Standstill, names_the_users_line_of_a_wait_in_a_library) {
  const std::string of_std = standstill_behind_mutex(hold_by_std);
  const std::string of_guard = standstill_behind_mutex(hold_by_guard);
  const std::string of_weft = standstill_behind_mutex(hold_by_weft);

  for (const std::string& text : {of_std, of_guard, of_weft}) {
    const std::size_t line = text.find("a task waits for mutex at 0x");
    ASSERT_NE(line, std::string::npos) << text;
    // Its file and line, or without debug information its function
    EXPECT_LT(text.find("standstill_test", line), text.find('\n', line)) << text;
  }
}

// Run with ThreadSanitizer: no frame is read that its task may leave.
TEST(Standstill, is_described_while_others_wake_the_tasks) {
  detail::scheduler home({.num_workers = 2, .stacks = {}});
  std::atomic<bool> is_done{false};
  std::jthread asker([&] {
    while (!is_done.load()) {
      const std::string waits = home.describe_standstill();
      EXPECT_TRUE(waits.empty() || waits.find("a task waits for test at 0x") != std::string::npos)
          << waits;
    }
  });
  for (int i = 0; i < 300; ++i) {
    std::atomic<waiter*> node{nullptr};
    std::jthread waker([&node] {
      while (node.load() == nullptr) {
        std::this_thread::yield();
      }
      detail::resume(*node.load());
    });
    auto body = [&node] { wait_for_ever(node); };
    detail::forked task(body);
    detail::run_and_wait(home, task);
    task.take();
  }
  is_done = true;
}

TEST(Fork, finds_its_deadlocks_although_the_parent_was_at_work) {
#if defined(__SANITIZE_THREAD__) || defined(WEFT_THREAD_SANITIZER)
  GTEST_SKIP() << "ThreadSanitizer allows no thread in a fork of a process with threads";
#endif
  weft::runtime busy(with_workers(1));
  std::atomic<bool> is_running{false};
  std::atomic<bool> may_end{false};
  std::jthread asker([&] {
    busy.run([&] {
      is_running = true;
      while (!may_end.load()) {
        std::this_thread::yield();
      }
    });
  });
  while (!is_running.load()) {
    std::this_thread::yield();
  }

  const auto child = fork();
  if (child == 0) {
    constexpr unsigned most_seconds = 20;
    alarm(most_seconds);
    weft::runtime_options options = with_workers(1);
    options.deadlock = weft::deadlock_action::raise;
    auto* own = new weft::runtime(options);  // its task never ends
    std::atomic<waiter*> node{nullptr};
    try {
      own->run([&] { wait_for_ever(node); });
    } catch (const weft::deadlock_error&) {
      std::_Exit(0);
    }
    std::_Exit(1);
  }
  may_end = true;

  EXPECT_EQ(child_status(child), 0);
}

TEST(Standstill, is_none_while_a_task_of_another_runtime_goes_on) {
  weft::runtime home(with_workers(2));
  weft::runtime& part = home.on_cpus({sched_getcpu()});
  std::atomic<bool> may_end{false};
  std::jthread asker([&] {
    part.run([&] {
      home.run([&] {
        while (!may_end.load()) {
          std::this_thread::yield();
        }
      });
    });
  });
  while (detail::runtime_access::of(part).describe_standstill().empty()) {
    std::this_thread::yield();
  }

  const bool is_explained = detail::look_for_standstill();
  may_end = true;

  EXPECT_FALSE(is_explained) << "the task of `part` waits for one that runs";
}

TEST(Standstill, is_told_after_a_minute_in_which_another_runtime_went_on) {
  received().clear();
  const weft::message_sink before = weft::set_message_sink(keep);
  {
    weft::runtime_options waiting = with_workers(1);
    waiting.deadlock = weft::deadlock_action::abort;
    weft::runtime still(waiting);
    weft::runtime busy(with_workers(1));
    std::atomic<bool> is_running{false};
    std::atomic<bool> may_end{false};
    std::atomic<waiter*> node{nullptr};
    still.run([&] { weft::post([&] { wait_for_ever(node); }); });
    std::jthread asker([&] {
      busy.run([&] {
        is_running = true;
        while (!may_end.load()) {
          std::this_thread::yield();
        }
      });
    });
    // A worker that has just started counts as going on too, until it sleeps.
    while (!is_running.load() || detail::runtime_access::of(still).describe_standstill().empty()) {
      std::this_thread::yield();
    }
    const auto now = std::chrono::steady_clock::now();

    EXPECT_FALSE(detail::look_for_standstill(now));
    EXPECT_FALSE(detail::look_for_standstill(now + std::chrono::seconds(50)));
    EXPECT_EQ(received(), "");
    EXPECT_FALSE(detail::look_for_standstill(now + std::chrono::seconds(61)));
    EXPECT_THAT(received(), HasSubstr("a task waits for test at 0x"));
    EXPECT_THAT(received(), HasSubstr("of runtime \"pool-"));
    const std::string told = received();
    EXPECT_FALSE(detail::look_for_standstill(now + std::chrono::seconds(130)));
    EXPECT_EQ(received(), told) << "once";

    detail::resume(*node.load());
    may_end = true;
  }
  weft::set_message_sink(before);
}

/// Is called by a task of another runtime, or by its blocking call.
void end_a_runtime_whose_task_waits() {
  weft::runtime_options options = with_workers(1);
  options.deadlock = weft::deadlock_action::abort;
  std::atomic<waiter*> node{nullptr};
  weft::runtime inner(options);
  inner.run([&] { weft::post([&] { wait_for_ever(node); }); });
}

TEST(StandstillDeathTest, is_found_in_a_runtime_that_ends_within_tasks_of_others) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto end_another_whose_task_does_so = [] {
    weft::runtime(with_workers(1)).run([] { weft::post(end_a_runtime_whose_task_waits); });
  };
  EXPECT_DEATH(weft::runtime(with_workers(1)).run(end_another_whose_task_does_so),
               "no task can go on");
}

TEST(StandstillDeathTest, is_found_in_a_runtime_that_ends_within_a_blocking_call_of_another) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      weft::runtime(with_workers(1)).run([] { weft::blocking(end_a_runtime_whose_task_waits); }),
      "no task can go on");
}

}  // namespace standstill_test
