// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task that ends with a mutex that it locked is named in debug builds, and nobody else is.
#include "weft/tasks/detail/sync/held_locks.hpp"

#include <chrono>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/assert.hpp"
#include "weft/base/error.hpp"
#include "weft/base/message.hpp"
#include "weft/tasks/async.hpp"
#include "weft/tasks/blocking.hpp"
#include "weft/tasks/condition_variable.hpp"
#include "weft/tasks/event.hpp"
#include "weft/tasks/fork_join.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/lock.hpp"
#include "weft/tasks/mutex.hpp"
#include "weft/tasks/post.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/shared_mutex.hpp"
#include "weft/tasks/task_group.hpp"
#include "weft/tasks/this_task.hpp"
#include "weft/tasks/thread.hpp"

#include "tasks/on_workers.hpp"
#include "tasks/with_workers.hpp"

namespace held_locks_test {

static_assert(std::is_empty_v<weft::tasks::detail::lock_balance> == !WEFT_ASSERTIONS_ENABLED);

#if WEFT_ASSERTIONS_ENABLED

using namespace std::chrono_literals;
using testing::HasSubstr;

/// What was reported, from any thread.
class reports {
 public:
  static void keep(const weft::broken_assertion& broken) {
    const std::lock_guard guard(mutex());
    texts().emplace_back(broken.message);
    lines().push_back(broken.where.line());
  }
  static std::vector<std::string> take() {
    const std::lock_guard guard(mutex());
    return std::exchange(texts(), {});
  }
  static std::vector<std::uint_least32_t> take_lines() {
    const std::lock_guard guard(mutex());
    return std::exchange(lines(), {});
  }

 private:
  static std::mutex& mutex() {
    static std::mutex instance;
    return instance;
  }
  static std::vector<std::string>& texts() {
    static std::vector<std::string> instance;
    return instance;
  }
  static std::vector<std::uint_least32_t>& lines() {
    static std::vector<std::uint_least32_t> instance;
    return instance;
  }
};

class HeldLocks : public weft::test::OnWorkers {
 protected:
  HeldLocks() : before_(weft::set_assert_handler(reports::keep)) {}
  ~HeldLocks() override {
    weft::set_assert_handler(before_);
    reports::take();
    reports::take_lines();
  }

  /// Expects one report of what `run(lock)` does, where `lock` locks and leaves it so.
  template <class Run>
  void expect_report(const char* what, const Run& run) {
    SCOPED_TRACE(what);
    weft::mutex mutex;
    std::uint_least32_t line = 0;
    run([&mutex, &line] {
      line = std::source_location::current().line() + 1;
      mutex.lock();
    });
    std::vector<std::string> texts = reports::take();
    while (texts.empty()) {  // what nobody waits for; the test's time limit ends this
      std::this_thread::yield();
      texts = reports::take();
    }
    EXPECT_THAT(texts, testing::ElementsAre(HasSubstr("holds the mutex at 0x")));
    EXPECT_THAT(texts.front(), HasSubstr("held_locks_test.cpp:" + std::to_string(line)));
    EXPECT_THAT(reports::take_lines(), testing::ElementsAre(line));
    mutex.unlock();  // not the owner: reported, too
    reports::take();
    reports::take_lines();
  }

 private:
  weft::assert_handler before_;
};

TEST_P(HeldLocks, whatever_ends_with_a_mutex_is_reported_once) {
  expect_report("run", [&](auto lock) { runtime_.run(lock); });
  expect_report("first part",
                [&](auto lock) { runtime_.run([&] { weft::fork_join(lock, [] {}); }); });
  expect_report("last part",
                [&](auto lock) { runtime_.run([&] { weft::fork_join([] {}, lock); }); });
  expect_report("async", [&](auto lock) { runtime_.run([&] { weft::async(lock).get(); }); });
  expect_report("then", [&](auto lock) {
    runtime_.run([&] { weft::async([] {}).then([&](auto&&) { lock(); }).get(); });
  });
  expect_report("post", [&](auto lock) { runtime_.run([&] { weft::post(lock); }); });
  expect_report("thread", [&](auto lock) { runtime_.run([&] { weft::thread(lock).join(); }); });
  expect_report("blocking", [&](auto lock) { runtime_.run([&] { weft::blocking(lock); }); });
  expect_report("group", [&](auto lock) {
    runtime_.run([&] {
      weft::task_group group;
      group.run(lock);
      group.run([] {});
      group.wait();
    });
  });
}

template <class Mutex, class Lock>
std::vector<std::string> reports_of(weft::runtime& runtime, Lock lock) {
  Mutex mutex;
  runtime.run([&] { lock(mutex); });
  std::vector<std::string> texts = reports::take();
  mutex.unlock();
  reports::take();
  return texts;
}

TEST_P(HeldLocks, every_kind_of_mutex_is_known) {
  using testing::ElementsAre;
  auto lock = [](auto& mutex) { mutex.lock(); };
  auto try_lock = [](auto& mutex) { EXPECT_TRUE(mutex.try_lock()); };
  auto try_lock_for = [](auto& mutex) { EXPECT_TRUE(mutex.try_lock_for(1h)); };
  auto lock_twice = [](auto& mutex) {
    mutex.lock();
    mutex.lock();
    mutex.unlock();
  };

  EXPECT_THAT(reports_of<weft::mutex>(runtime_, try_lock), ElementsAre(HasSubstr("the mutex")));
  EXPECT_THAT(reports_of<weft::timed_mutex>(runtime_, try_lock_for),
              ElementsAre(HasSubstr("mutex")));
  EXPECT_THAT(reports_of<weft::recursive_mutex>(runtime_, lock_twice),
              ElementsAre(HasSubstr("mutex")));
  EXPECT_THAT(reports_of<weft::shared_mutex>(runtime_, lock),
              ElementsAre(HasSubstr("shared_mutex")));
  EXPECT_THAT(reports_of<weft::shared_mutex>(runtime_, try_lock),
              ElementsAre(HasSubstr("shared_mutex")));
}

TEST_P(HeldLocks, who_unlocks_is_not_reported) {
  weft::mutex one;
  weft::mutex other;
  weft::timed_mutex timed;
  weft::shared_mutex shared;
  weft::recursive_mutex recursive;

  run_tasks_and_threads(8, [&](int i) {
    for (int round = 0; round < 20; ++round) {
      const std::scoped_lock both(one, other);
      const std::unique_lock writer(shared);
      weft::this_task::yield();  // a mutex may be held over a wait, and go on as another thread
      const std::lock_guard once(recursive);
      const std::lock_guard twice(recursive);
      if (timed.try_lock_for(std::chrono::microseconds(i))) {
        timed.unlock();
      }
    }
  });
  runtime_.run([&] {
    const weft::scoped_lock all(one, other, one);
    weft::fork_join([&] { const std::shared_lock reader(shared); },
                    [&] { const std::lock_guard guard(recursive); });
    // The closure unlocks as it is destroyed, which is still its task.
    weft::async([lock = std::unique_lock(timed, std::defer_lock)]() mutable { lock.lock(); }).get();
  });

  EXPECT_THAT(reports::take(), testing::IsEmpty());
}

TEST_P(HeldLocks, who_waits_for_a_condition_holds_nothing_meanwhile) {
  weft::mutex mutex;
  weft::condition_variable condition;
  weft::condition_variable_any any;
  bool is_set = false;

  run_tasks(2, [&](int i) {
    std::unique_lock lock(mutex);
    if (i == 0) {
      condition.wait(lock, [&] { return is_set; });
      any.wait_for(lock, 1ms);
      condition.wait_for(lock, 0ms);
      return;
    }
    is_set = true;
    condition.notify_all();
  });

  EXPECT_THAT(reports::take(), testing::IsEmpty());
}

TEST_P(HeldLocks, a_handler_that_throws_fails_the_task) {
  weft::set_assert_handler(
      [](const weft::broken_assertion& broken) { throw std::logic_error(broken.message); });
  weft::mutex mutex;
  weft::mutex other;

  runtime_.run([&] {
    weft::future<void> f = weft::async([&] { mutex.lock(); });
    EXPECT_THROW(f.get(), std::logic_error);
    EXPECT_THROW(weft::fork_join([&] { other.lock(); }, [] {}), std::logic_error);
  });

  weft::set_assert_handler(reports::keep);
  mutex.unlock();
  other.unlock();
}

TEST_P(HeldLocks, a_handler_that_throws_does_not_replace_the_exception_that_ended_the_task) {
  weft::set_assert_handler(
      [](const weft::broken_assertion& broken) { throw std::logic_error(broken.message); });
  weft::mutex kept;
  auto fail = [&] {
    kept.lock();
    throw std::out_of_range("the task's own");
  };

  EXPECT_THROW(runtime_.run([&] { weft::fork_join(fail, [] {}); }), std::out_of_range);
  weft::set_assert_handler(reports::keep);
  kept.unlock();
}

TEST_P(HeldLocks, locking_twice_names_the_first_line) {
  weft::mutex mutex;
  std::string text;

  runtime_.run([&] {
    mutex.lock();
    try {
      mutex.lock();
    } catch (const weft::error& raised) {
      text = raised.what();
    }
    mutex.unlock();
  });

  EXPECT_THAT(text, HasSubstr("holds already (since "));
  EXPECT_THAT(text, HasSubstr("held_locks_test.cpp:"));
}

std::string& message_text() {
  static std::string text;
  return text;
}
weft::event*& rescue() {
  static weft::event* waited_for = nullptr;
  return waited_for;
}

TEST(HeldLocksAtAStandstill, are_named_with_who_holds_them) {
  weft::event never;
  rescue() = &never;
  message_text().clear();
  const weft::message_sink before = weft::set_message_sink([](std::string_view text) noexcept {
    message_text() += text;
    rescue()->set();
  });
  {
    weft::runtime runtime(weft::test::with_workers(2));
    weft::mutex mutex;
    runtime.run([&] {
      mutex.lock();
      never.wait();
      mutex.unlock();
    });
  }
  weft::set_message_sink(before);

  EXPECT_THAT(message_text(), HasSubstr("    and holds the mutex at 0x"));
  EXPECT_THAT(message_text(), HasSubstr("held_locks_test.cpp:"));
}

WEFT_TEST_ON_WORKERS(HeldLocks);

#else

TEST(HeldLocks, cost_nothing_where_assertions_are_off) {
  weft::mutex mutex;
  mutex.lock();

  EXPECT_EQ(weft::tasks::detail::num_held_locks(), 0U);
  mutex.unlock();
}

#endif

}  // namespace held_locks_test
