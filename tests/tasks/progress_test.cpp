// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sources that the workers of a runtime poll.
#include "weft/tasks/progress.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "weft/base/message.hpp"
#include "weft/tasks/async.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/launch.hpp"
#include "weft/tasks/post.hpp"
#include "weft/tasks/promise.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_interface.hpp"
#include "weft/tasks/runtime_options.hpp"
#include "weft/tasks/task_group.hpp"

#include "tests/support/comes_true.hpp"

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using weft::test::comes_true;

/// Gives its promise a value when it is polled after a moment.
class late_source final : public weft::tasks::progress_source {
 public:
  bool poll() noexcept override {
    if (num_inside_.fetch_add(1) != 0) {
      was_entered_twice_ = true;
    }
    ++num_polls;
    poller_ = std::this_thread::get_id();
    was_polled_by_maker_ = was_polled_by_maker_ || poller_.load() == maker_;
    bool has_given = false;
    if (is_pending_ && steady_clock::now() >= due_) {
      is_pending_ = false;
      promise_.set_value(42);
      has_given = true;
    }
    poller_ = std::thread::id();
    num_inside_.fetch_sub(1);
    return has_given;
  }
  [[nodiscard]] bool wants_polling() const noexcept override { return wants; }

  /// Before the source is added.
  weft::future<int> value_after(steady_clock::duration delay) {
    due_ = steady_clock::now() + delay;
    is_pending_ = true;
    return promise_.get_future();
  }
  [[nodiscard]] bool was_polled_by_maker() const noexcept { return was_polled_by_maker_; }
  [[nodiscard]] bool was_entered_twice() const noexcept { return was_entered_twice_; }

  [[nodiscard]] bool is_polled_by_this_thread() const noexcept {
    return poller_.load() == std::this_thread::get_id();
  }

  std::atomic<int> num_polls{0};
  std::atomic<bool> wants{true};

 private:
  std::atomic<int> num_inside_{0};
  std::atomic<std::thread::id> poller_{};
  const std::thread::id maker_ = std::this_thread::get_id();
  std::atomic<bool> was_polled_by_maker_{false};
  std::atomic<bool> was_entered_twice_{false};
  weft::promise<int> promise_;
  bool is_pending_ = false;
  steady_clock::time_point due_;
};

class polled {
 public:
  polled(weft::runtime& home, late_source& source)
      : home_(weft::tasks::scheduler_of(home)), source_(source) {
    weft::tasks::add_progress_source(home_, source);
  }
  polled(const polled&) = delete;
  polled& operator=(const polled&) = delete;
  ~polled() { weft::tasks::remove_progress_source(home_, source_); }

 private:
  weft::tasks::scheduler& home_;
  late_source& source_;
};

/// Starts a task in a poll, and records how many tasks ran in between.
class task_starter final : public weft::tasks::progress_source {
 public:
  /// `by_worker`: start tasks only in polls of a worker; else only in polls of other threads.
  task_starter(weft::runtime& home, bool by_worker)
      : home_(weft::tasks::scheduler_of(home)), by_worker_(by_worker) {
    weft::tasks::add_progress_source(home_, *this);
  }
  ~task_starter() override {
    weft::tasks::remove_progress_source(home_, *this);
    wait_for_started();
  }
  void wait_for_started() const {
    EXPECT_TRUE(comes_true([this] { return !is_queued_; }));
  }

  bool poll() noexcept override {
    if (!is_wanted || (weft::tasks::self() != nullptr) != by_worker_ || is_queued_.exchange(true)) {
      return false;
    }
    num_at_start_ = num_tasks.load();
    weft::tasks::start_surely(&home_, started_);
    ++num_starts;
    return true;
  }
  [[nodiscard]] bool wants_polling() const noexcept override { return true; }

  std::atomic<bool> is_wanted{false};
  std::atomic<int> num_tasks{0};  // that the test itself started, and that ran
  std::atomic<int> num_starts{0};
  std::atomic<int> most_before{0};  // of these tasks ran between a start and the started task

 private:
  struct started_task : weft::tasks::work_item {
    explicit started_task(task_starter& owner) : weft::tasks::work_item(run_it), from(owner) {}
    static weft::tasks::waiter* run_it(weft::tasks::work_item& item) noexcept {
      task_starter& from = static_cast<started_task&>(item).from;
      from.most_before = std::max(from.most_before.load(), from.num_tasks - from.num_at_start_);
      from.is_queued_ = false;
      return nullptr;
    }
    task_starter& from;
  };

  weft::tasks::scheduler& home_;
  const bool by_worker_;
  std::atomic<bool> is_queued_{false};
  std::atomic<int> num_at_start_{0};
  started_task started_{*this};
};

/// Takes a millisecond for each poll of a worker, and finds nothing.
class slow_source final : public weft::tasks::progress_source {
 public:
  bool poll() noexcept override {
    if (weft::tasks::self() != nullptr) {
      ++num_polls;
      std::this_thread::sleep_for(1ms);
    }
    return false;
  }
  [[nodiscard]] bool wants_polling() const noexcept override { return true; }

  std::atomic<int> num_polls{0};
};

weft::runtime_options options_for(int workers) {
  weft::runtime_options options;
  options.workers = workers;
  return options;
}

/// Runs `body` in a task on a worker. This thread does not run tasks meanwhile.
template <class F>
void run_on_worker(weft::runtime& home, const F& body) {
  std::atomic<bool> has_ended{false};
  home.run([&] {
    weft::post([&] {
      body();
      has_ended = true;
    });
  });
  EXPECT_TRUE(comes_true([&] { return has_ended.load(); }));
}

std::atomic<int> num_messages{0};
void count_message(std::string_view /*text*/) noexcept { ++num_messages; }

/// True once the source was polled so many times more.
bool is_polled(const late_source& source, int times) {
  const int enough = source.num_polls + times;
  return comes_true([&] { return source.num_polls >= enough; });
}

}  // namespace

TEST(Progress, a_source_resumes_a_waiting_task) {
  weft::runtime home(options_for(2));
  late_source source;
  auto value = source.value_after(5ms);
  const polled scope(home, source);

  EXPECT_EQ(home.run([&] { return value.get(); }), 42);
}

TEST(Progress, a_source_gives_a_value_to_an_outside_thread) {
  weft::runtime home(options_for(1));
  late_source source;
  auto value = source.value_after(5ms);
  const polled scope(home, source);

  EXPECT_EQ(value.get(), 42);
}

TEST(Progress, an_outside_thread_that_waits_polls_by_itself) {
  weft::runtime home(options_for(1));

  EXPECT_TRUE(comes_true([&] {
    late_source source;
    auto value = source.value_after(1ms);
    const polled scope(home, source);
    EXPECT_EQ(value.get(), 42);
    return source.was_polled_by_maker();
  }));
}

TEST(Progress, an_outside_thread_polls_no_source_of_one_runtime_among_several) {
  weft::runtime home(options_for(1));
  weft::runtime another(options_for(1));
  late_source source;
  late_source other;
  auto value = source.value_after(1ms);
  const polled scope(home, source);
  const polled other_scope(another, other);

  EXPECT_EQ(value.get(), 42);
  EXPECT_FALSE(source.was_polled_by_maker());
  EXPECT_FALSE(other.was_polled_by_maker());
}

TEST(Progress, sources_may_go_while_outside_threads_wait) {
  weft::runtime home(options_for(1));
  std::atomic<bool> is_ending{false};
  std::vector<std::jthread> waiting;
  waiting.reserve(2);
  for (int i = 0; i < 2; ++i) {
    waiting.emplace_back([&] {
      while (!is_ending) {
        weft::promise<int> given;
        auto value = given.get_future();
        std::jthread giver([&] { given.set_value(1); });
        EXPECT_EQ(value.get(), 1);
      }
    });
  }

  for (int round = 0; round < 200; ++round) {
    late_source source;
    const polled scope(home, source);
    EXPECT_TRUE(is_polled(source, 1));
  }
  is_ending = true;
}

TEST(Progress, a_thread_that_polls_in_its_waits_gets_every_value) {
  weft::runtime home(options_for(1));
  auto& workers = weft::tasks::scheduler_of(home);

  for (int round = 0; round < 100; ++round) {
    late_source source;
    auto value = source.value_after(round % 2 == 0 ? 0us : 200us);
    const polled scope(home, source);
    weft::tasks::expect_awaited_progress(workers);
    EXPECT_EQ(value.get(), 42);
  }
}

TEST(Progress, sources_are_polled_while_all_workers_are_in_long_tasks) {
  weft::runtime home(options_for(2));
  late_source source;
  const polled scope(home, source);

  home.run([&] {
    auto other = weft::async([&] { return is_polled(source, 10); });
    EXPECT_TRUE(is_polled(source, 10));
    EXPECT_TRUE(other.get());
  });
}

TEST(Progress, sources_are_polled_between_short_tasks) {
  weft::runtime home(options_for(1));
  late_source source;
  const polled scope(home, source);

  home.run([&] {
    const int enough = source.num_polls + 100;
    EXPECT_TRUE(comes_true([&] {
      std::vector<weft::future<void>> all(1000);
      for (auto& each : all) {
        each = weft::async([] {});
      }
      for (auto& each : all) {
        each.get();
      }
      return source.num_polls >= enough;
    }));
  });
}

TEST(Progress, a_worker_polls_a_slow_source_less_often) {
  weft::runtime home(options_for(1));
  slow_source source;
  weft::tasks::add_progress_source(weft::tasks::scheduler_of(home), source);
  constexpr int num_tasks = 2000;
  std::atomic<int> num_ended{0};
  const std::function<void()> chain = [&] {
    const auto end = steady_clock::now() + 20us;
    while (steady_clock::now() < end) {
    }
    if (++num_ended < num_tasks) {
      weft::post(chain);
    }
  };

  run_on_worker(home, chain);
  EXPECT_TRUE(comes_true([&] { return num_ended == num_tasks; }));

  EXPECT_LT(source.num_polls, num_tasks / 4);  // not two after each task
  weft::tasks::remove_progress_source(weft::tasks::scheduler_of(home), source);
}

TEST(Progress, what_a_worker_starts_in_a_poll_is_its_next_task) {
  weft::runtime home(options_for(1));
  task_starter source(home, true);
  constexpr int enough = 500;
  std::atomic<bool> is_ending{false};
  const std::function<void()> chain = [&] {
    ++source.num_tasks;
    const auto end = steady_clock::now() + 2us;
    while (steady_clock::now() < end) {
    }
    if (source.num_starts < enough && !is_ending) {
      weft::post(chain);
    }
  };

  home.run([&] {
    for (int i = 0; i < 4; ++i) {
      weft::post(chain);
    }
    source.is_wanted = true;
  });

  EXPECT_TRUE(comes_true([&] { return source.num_starts >= enough; }));
  is_ending = true;
  source.is_wanted = false;
  home.wait_until_idle();
  EXPECT_LE(source.most_before, 1);  // 1: the task that a worker takes in its turn
}

TEST(Progress, what_a_thread_starts_in_a_poll_runs_before_the_tasks_of_a_worker) {
  weft::runtime home(options_for(1));
  task_starter source(home, false);
  constexpr int num_tasks = 100;

  run_on_worker(home, [&] {
    weft::task_group others;
    for (int i = 0; i < num_tasks; ++i) {
      others.run([&] { ++source.num_tasks; });
    }
    source.is_wanted = true;
    EXPECT_TRUE(comes_true([&] { return source.num_starts >= 1; }));
    source.is_wanted = false;
    others.wait();
  });

  source.wait_for_started();
  EXPECT_EQ(source.num_tasks, num_tasks);
  EXPECT_LE(source.most_before, 1);  // 1: the task that a worker takes in its turn
}

TEST(Progress, one_thread_polls_at_a_time) {
  weft::runtime home(options_for(4));
  late_source source;
  const polled scope(home, source);

  for (int round = 0; round < 20; ++round) {
    home.run([&] {
      std::vector<weft::future<void>> all;
      all.reserve(100);
      for (int i = 0; i < 100; ++i) {
        all.push_back(weft::async([] { std::this_thread::yield(); }));
      }
      for (auto& each : all) {
        each.get();
      }
    });
  }

  EXPECT_TRUE(is_polled(source, 10));
  EXPECT_FALSE(source.was_entered_twice());
}

TEST(Progress, a_long_task_is_seldom_interrupted) {
  weft::runtime home(options_for(1));
  late_source source;
  const polled scope(home, source);

  const auto begin = steady_clock::now();
  const int num_polls = home.run([&] {
    const int before = source.num_polls;
    while (steady_clock::now() < begin + 40ms) {
      weft::tasks::expect_more_progress(weft::tasks::scheduler_of(home));
    }
    return source.num_polls - before;
  });

  // two polls for each wake-up of the polling thread, which sleeps for half a millisecond
  EXPECT_LE(num_polls, 2 * ((steady_clock::now() - begin) / 500us) + 40);
}

TEST(Progress, sources_may_come_and_go) {
  weft::runtime home(options_for(1));

  for (int round = 0; round < 100; ++round) {
    late_source source;
    const polled scope(home, source);
    EXPECT_TRUE(is_polled(source, 1));
  }
}

TEST(Progress, sources_may_go_at_once) {
  weft::runtime home(options_for(1));
  late_source source;

  for (int round = 0; round < 2000; ++round) {
    const polled scope(home, source);
    for (int i = 0; i < round % 64;
         ++i) {  // the polling thread has come to another place each time
      std::this_thread::yield();
    }
  }
  EXPECT_FALSE(source.was_entered_twice());
}

TEST(Progress, continuations_of_a_source_run_as_tasks) {
  weft::runtime home(options_for(1));
  late_source source;
  std::atomic<bool> is_in_poll{true};
  auto value = source.value_after(1ms).then(weft::launch::sync, [&](weft::future<int> given) {
    is_in_poll = source.is_polled_by_this_thread();
    return given.get();
  });
  const polled scope(home, source);

  EXPECT_EQ(value.get(), 42);
  EXPECT_FALSE(is_in_poll);
}

TEST(Progress, a_removed_source_is_not_polled) {
  weft::runtime home(options_for(2));
  late_source source;
  {
    const polled scope(home, source);
  }
  const int before = source.num_polls;

  home.run([] { weft::async([] {}).get(); });

  EXPECT_EQ(source.num_polls, before);
}

TEST(Progress, a_source_without_wishes_is_polled_when_something_is_expected) {
  weft::runtime home(options_for(1));
  late_source source;
  source.wants = false;
  const polled scope(home, source);
  auto& workers = weft::tasks::scheduler_of(home);

  for (int round = 0; round < 3; ++round) {
    const int before = source.num_polls;
    EXPECT_TRUE(comes_true([&] {
      weft::tasks::expect_progress(workers);
      return source.num_polls > before;
    }));
  }
}

TEST(Progress, tasks_that_wait_for_a_source_are_no_deadlock) {
  const auto former = weft::set_message_sink(count_message);
  num_messages = 0;
  {
    weft::runtime_options options = options_for(1);
    options.deadlock = weft::deadlock_action::raise;
    weft::runtime home(options);
    late_source source;
    auto value = source.value_after(1500ms);
    const polled scope(home, source);

    EXPECT_EQ(home.run([&] { return value.get(); }), 42);
  }
  weft::set_message_sink(former);
  EXPECT_EQ(num_messages, 0);
}
