// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The counters of runtimes: exact after a join, whoever reads, and whatever comes and goes.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <ratio>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/error.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/registry.hpp"
#include "weft/counters/session.hpp"
#include "weft/tasks/async.hpp"
#include "weft/tasks/coroutine_async.hpp"
#include "weft/tasks/coroutine_fork.hpp"
#include "weft/tasks/event.hpp"
#include "weft/tasks/fork_join.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/latch.hpp"
#include "weft/tasks/launch.hpp"
#include "weft/tasks/lazy_task.hpp"
#include "weft/tasks/parallel_for.hpp"
#include "weft/tasks/post.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_options.hpp"
#include "weft/tasks/task_group.hpp"

#include "tasks/on_workers.hpp"
#include "tasks/with_workers.hpp"

namespace runtime_counters_test {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;
using testing::ThrowsMessage;
using weft::counters::after_reading;
using weft::counters::session;
using weft::counters::session_reading;
using weft::counters::session_readings;

/// A runtime whose counters are easy to name.
weft::runtime_options named(std::string name, int num_workers) {
  weft::runtime_options options = weft::test::with_workers(num_workers);
  options.name = std::move(name);
  return options;
}

/// "/threads{locality#0/pool#own/total}/count/cumulative"
std::string of_pool(std::string_view object,
                    std::string_view counter,
                    std::string_view of = "total") {
  return '/' + std::string(object) + "{locality#0/pool#own/" + std::string(of) + "}/" +
         std::string(counter);
}

double value_now(const std::string& name) { return session({name}).evaluate().number_of(name); }

/// Reads what changes most, 10,000 times a second if there is time for it.
class busy_reader {
 public:
  busy_reader() : thread_(read) {}

 private:
  static void read(const std::stop_token& stop) {
    session all({"/threads{locality#0/*}/count/cumulative", "/threads{locality#0/total}/time/*"});
    while (!stop.stop_requested()) {
      (void)all.evaluate(after_reading::reset);
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }
  std::jthread thread_;
};

class RuntimeCounters : public testing::TestWithParam<int> {
 protected:
  /// Runs `body` as a task, with somebody reading, and returns how many tasks that was besides.
  double count_tasks(const std::function<void()>& body) {
    const std::string name = of_pool("threads", "count/cumulative");
    session counted({name});
    own.run(body);
    return counted.evaluate().number_of(name) - 1;
  }

  weft::runtime own{named("own", GetParam())};
  busy_reader reader;
};

TEST_P(RuntimeCounters, a_fork_is_one_task) {
  static constexpr int num_leaves = 5000;

  const double counted = count_tasks([] { weft::test::for_each_task(0, num_leaves, [](int) {}); });

  EXPECT_EQ(counted, num_leaves - 1);
}

TEST_P(RuntimeCounters, an_async_is_one_task) {
  static constexpr int num_futures = 2000;

  const double counted = count_tasks([] {
    std::vector<weft::future<int>> futures;
    futures.reserve(num_futures);
    for (int i = 0; i < num_futures; ++i) {
      futures.push_back(weft::async([i] { return i; }));
    }
    for (weft::future<int>& f : futures) {
      (void)f.get();
    }
  });

  EXPECT_EQ(counted, num_futures);
}

TEST_P(RuntimeCounters, so_is_each_of_a_group) {
  static constexpr int num_tasks = 2000;

  const double counted = count_tasks([] {
    weft::task_group group;
    for (int i = 0; i < num_tasks; ++i) {
      group.run([] {});
    }
    group.wait();
  });

  EXPECT_EQ(counted, num_tasks);
}

TEST_P(RuntimeCounters, so_is_what_is_posted) {
  static constexpr int num_tasks = 2000;

  const double counted = count_tasks([] {
    auto done = std::make_shared<weft::latch>(num_tasks);
    for (int i = 0; i < num_tasks; ++i) {
      weft::post([done] { done->count_down(); });
    }
    done->wait();
  });

  EXPECT_EQ(counted, num_tasks);
}

TEST_P(RuntimeCounters, so_is_each_piece_of_a_bulk_but_one) {
  static constexpr std::size_t num_indices = 4096;

  const double counted =
      count_tasks([] { weft::parallel_for(num_indices, [](std::size_t) {}, {.grain = 4}); });

  EXPECT_EQ(counted, num_indices / 4 - 1);
}

weft::lazy_task<int> count_leaves(int num_leaves) {
  if (num_leaves == 1) {
    co_return 1;
  }
  auto [left, right] =
      co_await weft::fork(count_leaves(num_leaves / 2), count_leaves(num_leaves - num_leaves / 2));
  co_return left + right;
}

TEST_P(RuntimeCounters, a_fork_of_coroutines_is_one_task) {
  static constexpr int num_leaves = 2000;

  const double counted =
      count_tasks([] { EXPECT_EQ(weft::blocking_wait(count_leaves(num_leaves)), num_leaves); });

  EXPECT_EQ(counted, num_leaves - 1);
}

TEST_P(RuntimeCounters, a_coroutine_started_on_its_own_is_one_task) {
  static constexpr int num_futures = 500;

  const double counted = count_tasks([] {
    std::vector<weft::future<int>> futures;
    futures.reserve(num_futures);
    for (int i = 0; i < num_futures; ++i) {
      futures.push_back(weft::async([](int n) -> weft::lazy_task<int> { co_return n; }(i)));
    }
    for (weft::future<int>& f : futures) {
      (void)f.get();
    }
  });

  EXPECT_EQ(counted, num_futures);
}

INSTANTIATE_TEST_SUITE_P(Workers, RuntimeCounters, testing::Values(1, 2, 4, 16));

TEST(RuntimeCounterTotals, phases_are_tasks_and_resumes) {
  weft::runtime own(named("own", 2));
  session counted({of_pool("threads", "count/*")});

  own.run([] {
    weft::event opened;
    auto waits = weft::async([&] { opened.wait(); });
    weft::fork_join([] {}, [] {});
    opened.set();
    waits.get();
  });

  const session_readings now = counted.evaluate();
  EXPECT_EQ(now.number_of(of_pool("threads", "count/cumulative-phases")),
            now.number_of(of_pool("threads", "count/cumulative")) +
                now.number_of(of_pool("threads", "count/resumes")));
  EXPECT_EQ(now.number_of(of_pool("threads", "count/suspensions")),
            now.number_of(of_pool("threads", "count/resumes")));
}

TEST(RuntimeCounterTotals, a_pool_is_the_sum_of_its_workers_and_all_is_the_sum_of_pools) {
  weft::runtime own(named("own", 4));
  weft::runtime other(named("other", 1));
  session counted({"/threads{locality#0/*}/count/cumulative"});

  own.run([] { weft::test::for_each_task(0, 1000, [](int) {}); });
  other.run([] { weft::test::for_each_task(0, 10, [](int) {}); });

  const session_readings now = counted.evaluate();
  double sum = 0;
  for (const session_reading& each : now.values) {
    sum += each.name.find("{locality#0/pool#own/worker-thread#") != each.name.npos
               ? now.number_of(each.name)
               : 0;
  }
  EXPECT_EQ(sum, 1000);
  EXPECT_EQ(now.number_of("/threads{locality#0/pool#own/total}/count/cumulative"), 1000);
  EXPECT_EQ(now.number_of("/threads{locality#0/total}/count/cumulative"), 1010);
}

TEST(RuntimeCounterTotals, what_a_runtime_counted_stays_in_the_total_when_it_ends) {
  session all({"/threads{locality#0/total}/count/cumulative"});
  for (int i = 0; i < 5; ++i) {
    weft::runtime own(named("own", 3));
    own.run([] { weft::test::for_each_task(0, 100, [](int) {}); });
  }

  EXPECT_EQ(all.evaluate().number_of("/threads{locality#0/total}/count/cumulative"), 500);
}

TEST(RuntimeCounterTotals, a_runtime_that_ended_keeps_its_last_values) {
  const std::string name = of_pool("threads", "count/cumulative");
  std::optional<weft::runtime> own(std::in_place, named("own", 2));
  session counted({name});
  own->run([] { weft::test::for_each_task(0, 100, [](int) {}); });

  own.reset();

  EXPECT_EQ(counted.evaluate().number_of(name), 100);
  EXPECT_EQ(value_now(of_pool("threads", "count/instantaneous/active")), 0);
}

TEST(RuntimeCounterTotals, of_many_that_ended_only_the_last_are_known) {
  std::optional<weft::runtime> own(std::in_place, named("own", 1));
  session counted({of_pool("threads", "count/cumulative")});
  own.reset();

  for (int i = 0; i < 20; ++i) {
    const weft::runtime other(named("other-" + std::to_string(i), 1));
  }

  const session_readings now = counted.evaluate();
  EXPECT_EQ(now.values.at(0).value.value, std::nullopt);
  EXPECT_THAT(now.values.at(0).value.reason, HasSubstr("runtime own has ended"));
}

TEST(RuntimeCounterTotals, the_next_runtime_of_a_name_counts_from_its_beginning) {
  std::optional<weft::runtime> own(std::in_place, named("own", 1));
  own->run([] { weft::test::for_each_task(0, 100, [](int) {}); });
  session counted({of_pool("threads", "count/cumulative")});

  own.reset();
  own.emplace(named("own", 1));
  own->run([] { weft::test::for_each_task(0, 10, [](int) {}); });

  EXPECT_EQ(counted.evaluate().number_of(of_pool("threads", "count/cumulative")), 10);
}

TEST(RuntimeCounterTotals, two_sessions_that_reset_do_not_disturb_each_other) {
  weft::runtime own(named("own", 2));
  const std::string name = of_pool("threads", "count/cumulative");
  static constexpr int num_rounds = 200;
  std::atomic<bool> is_over{false};
  std::atomic<int> num_ready{0};
  double sums[2] = {};
  const auto sum_up = [&](double& sum) {
    session mine({name});
    ++num_ready;
    for (bool was_over = false; !was_over;) {
      was_over = is_over;
      sum += mine.evaluate(after_reading::reset).number_of(name);
    }
  };
  {
    std::jthread first([&] { sum_up(sums[0]); });
    std::jthread second([&] { sum_up(sums[1]); });
    while (num_ready != 2) {
      std::this_thread::yield();
    }
    for (int i = 0; i < num_rounds; ++i) {
      own.run([] { weft::test::for_each_task(0, 10, [](int) {}); });
    }
    is_over = true;
  }

  EXPECT_THAT(sums, testing::Each(num_rounds * 10));
}

TEST(RuntimeCounterTotals, workers_may_come_and_go_meanwhile) {
  weft::runtime own(named("own", 1));
  const std::string name = of_pool("threads", "count/cumulative");
  session counted({name});
  double before = 0;
  bool has_fallen = false;
  {
    const busy_reader reader;
    for (const int num_workers : {4, 1, 8, 2, 16, 1, 3}) {
      own.resize(num_workers);
      own.run([] { weft::test::for_each_task(0, 500, [](int) {}); });
      const double after = counted.evaluate().number_of(name);
      has_fallen = has_fallen || after < before;
      before = after;
    }
  }

  EXPECT_FALSE(has_fallen);
  EXPECT_EQ(counted.evaluate().number_of(name), 7 * 500);
  EXPECT_THAT(weft::counters::discover(of_pool("threads", "count/cumulative", "worker-thread#*")),
              testing::SizeIs(16));
}

TEST(RuntimeCounterTotals, runtimes_may_come_and_go_meanwhile) {
  session all({"/threads{locality#0/total}/count/cumulative"});
  {
    const busy_reader reader;
    for (int i = 0; i < 50; ++i) {
      weft::runtime own(named("own", 2));
      own.run([] { weft::test::for_each_task(0, 20, [](int) {}); });
    }
  }

  EXPECT_EQ(all.evaluate().number_of("/threads{locality#0/total}/count/cumulative"), 50 * 20);
}

TEST(RuntimeCounterNow, a_task_that_waits_is_suspended) {
  weft::runtime own(named("own", 2));
  weft::event opened;
  std::atomic<bool> is_done{false};
  const std::string suspended = of_pool("threads", "count/instantaneous/suspended");
  std::jthread caller([&] {
    own.run([&] { opened.wait(); });
    is_done = true;
  });

  while (value_now(suspended) != 1) {
    std::this_thread::yield();
  }
  EXPECT_EQ(value_now(of_pool("threads", "count/suspensions")), 0) << "before the session began";
  opened.set();
  while (!is_done) {
    std::this_thread::yield();
  }

  EXPECT_EQ(value_now(suspended), 0);
}

TEST(RuntimeCounterNow, queues_have_lengths_and_workers_are_in_tasks) {
  weft::runtime own(named("own", 1));
  static constexpr int num_queued = 100;

  own.run([&] {
    weft::task_group group;
    for (int i = 0; i < num_queued; ++i) {
      group.run([] {});
    }
    EXPECT_EQ(value_now(of_pool("threadqueue", "length")), num_queued);
    EXPECT_EQ(value_now(of_pool("threadqueue", "length", "worker-thread#0")), num_queued);
    EXPECT_EQ(value_now(of_pool("threads", "count/instantaneous/pending")), num_queued);
    EXPECT_EQ(value_now(of_pool("threads", "count/instantaneous/active")), 1);
    EXPECT_EQ(value_now(of_pool("threads", "count/instantaneous/all")), num_queued + 1);
    EXPECT_EQ(value_now(of_pool("scheduler", "utilization/instantaneous")), 100);
    group.wait();
  });

  EXPECT_EQ(value_now(of_pool("threadqueue", "length")), 0);
  EXPECT_GT(value_now(of_pool("threads", "stacks/live")), 0);
  EXPECT_GE(value_now(of_pool("threads", "stacks/high-water")),
            value_now(of_pool("threads", "stacks/live")));
}

/// What the parts of workers' time add up to, and what an outside clock says they should.
struct accounted_time {
  double sum_ns = 0;
  double overall_ns = 0;
  double executing_ns = 0;
  double least_ns = 0;
  double most_ns = 0;

  [[nodiscard]] bool adds_up(double sum) const {
    constexpr double error_of_clock = 1e-3;
    return least_ns * (1 - error_of_clock) < sum && sum < most_ns * (1 + error_of_clock);
  }
};

void spin(std::chrono::microseconds duration) {
  const auto end = std::chrono::steady_clock::now() + duration;
  while (std::chrono::steady_clock::now() < end) {
  }
}

/// Of three workers that spin in tasks, start tasks, and sleep.
accounted_time account_for_workers() {
  using std::chrono::steady_clock;
  using nanoseconds = std::chrono::duration<double, std::nano>;
  static constexpr int num_workers = 3;
  weft::runtime own(named("own", num_workers));

  const steady_clock::time_point before_begin = steady_clock::now();
  session times({of_pool("threads", "time/*")});
  const steady_clock::time_point after_begin = steady_clock::now();
  own.run([] {
    weft::test::for_each_task(0, 200, [](int) { spin(std::chrono::milliseconds(1)); });
    // Far shorter in all than the tasks above, whatever timing a task costs: else their time would
    // have no value.
    for (int i = 0; i < 2000; ++i) {
      weft::async(weft::launch::post, [] {});
    }
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const steady_clock::time_point before_end = steady_clock::now();
  const session_readings now = times.evaluate();
  const steady_clock::time_point after_end = steady_clock::now();

  accounted_time result{.overall_ns = now.number_of(of_pool("threads", "time/overall")),
                        .executing_ns = now.number_of(of_pool("threads", "time/executing")),
                        .least_ns = num_workers * nanoseconds(before_end - after_begin).count(),
                        .most_ns = num_workers * nanoseconds(after_end - before_begin).count()};
  for (const char* part : {"executing", "scheduling", "stealing", "searching", "parked"}) {
    result.sum_ns += now.number_of(of_pool("threads", std::string("time/") + part));
  }
  return result;
}

TEST(RuntimeCounterTimes, the_parts_add_up_to_the_time_that_workers_were_there) {
  const accounted_time times = account_for_workers();

  EXPECT_NEAR(times.sum_ns, times.overall_ns, 5) << "all are rounded";
  EXPECT_TRUE(times.adds_up(times.sum_ns))
      << times.sum_ns << " ns of " << times.least_ns << " to " << times.most_ns;
  EXPECT_GT(times.executing_ns, 190e6);
}

TEST(RuntimeCounterTimes, time_counted_twice_would_be_noticed) {
  const accounted_time times = account_for_workers();

  EXPECT_FALSE(times.adds_up(times.sum_ns + times.executing_ns));
  EXPECT_FALSE(times.adds_up(times.sum_ns - times.executing_ns));
}

TEST(RuntimeCounterTimes, an_average_of_nothing_has_no_value) {
  weft::runtime own(named("own", 1));

  const session_readings now = session({of_pool("threads", "time/average")}).evaluate();

  EXPECT_EQ(now.values.at(0).value.value, std::nullopt);
  EXPECT_THAT(now.values.at(0).value.reason, HasSubstr("no task"));
}

TEST(RuntimeCounterTimes, the_time_of_the_runtime_goes_on) {
  weft::runtime own(named("own", 1));
  const std::string uptime = "/runtime{locality#0/total}/uptime";

  const double first_s = value_now(uptime);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));

  EXPECT_GT(value_now(uptime), first_s + 0.004);
}

TEST(RuntimeCounterNames, wildcards_mean_pools_and_workers) {
  weft::runtime own(named("own", 2));
  weft::default_runtime().resize(3);

  EXPECT_THAT(weft::counters::discover("/threads/count/cumulative"),
              IsSupersetOf({"/threads{locality#0/total}/count/cumulative",
                            "/threads{locality#0/pool#own/total}/count/cumulative",
                            "/threads{locality#0/pool#own/worker-thread#1}/count/cumulative",
                            "/threads{locality#0/pool#default/worker-thread#2}/count/cumulative"}));
  EXPECT_THAT(weft::counters::discover("/threads{locality#*/worker-thread#*}/count/cumulative"),
              AllOf(Contains("/threads{locality#0/pool#default/worker-thread#2}/count/cumulative"),
                    Not(Contains(HasSubstr("own")))));
  EXPECT_THAT(weft::counters::discover("/threads{locality#0/pool#*/total}/time/*"),
              IsSupersetOf({"/threads{locality#0/pool#own/total}/time/parked",
                            "/threads{locality#0/pool#default/total}/time/average"}));
  EXPECT_THAT(
      session({"/threads{locality#0/worker-thread#0}/time/overall"}).names(),
      testing::ElementsAre("/threads{locality#0/pool#default/worker-thread#0}/time/overall"));
}

TEST(RuntimeCounterNames, without_one_a_runtime_is_numbered) {
  const weft::runtime own(weft::test::with_workers(1));

  EXPECT_THAT(weft::counters::discover("/threads{locality#0/pool#*/total}/count/cumulative"),
              Contains(HasSubstr("pool#pool-")));
}

TEST(RuntimeCounterNames, no_two_runtimes_share_one) {
  const weft::runtime own(named("own", 1));

  EXPECT_THAT([] { const weft::runtime again(named("own", 1)); },
              ThrowsMessage<weft::error>(HasSubstr("there is a runtime \"own\" already")));
}

TEST(RuntimeCounterNames, what_would_end_a_counters_name_is_refused) {
  EXPECT_THAT([] { const weft::runtime own(named("my/own", 1)); },
              ThrowsMessage<weft::error>(HasSubstr("takes letters, digits")));
}

TEST(RuntimeCounterNames, no_counter_takes_parameters) {
  const weft::runtime own(named("own", 1));

  EXPECT_THAT([] { (void)session({of_pool("threads", "count/cumulative") + "@3"}); },
              ThrowsMessage<weft::error>(HasSubstr("takes no parameters; leave out \"@3\"")));
}

}  // namespace runtime_counters_test
