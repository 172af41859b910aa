// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runtimes: results, several at once, resizing, parts, their end, and forks of the process.
#include "weft/tasks/runtime.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "weft/base/error.hpp"
#include "weft/base/topology.hpp"
#include "weft/tasks/blocking.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"
#include "weft/tasks/fork_join.hpp"
#include "weft/tasks/parallel_for.hpp"
#include "weft/tasks/post.hpp"
#include "weft/tasks/this_task.hpp"

#include "tasks/runtime/runtime_parts.hpp"
#include "tests/support/child_status.hpp"
#include "tests/tasks/with_workers.hpp"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WEFT_THREAD_SANITIZER
#endif
#endif

namespace runtime_test {

using testing::HasSubstr;
using testing::ThrowsMessage;
using weft::tasks::detail::wait;
using weft::tasks::detail::wait_reason;
using weft::tasks::detail::waiter;
using weft::test::child_status;

using weft::test::with_workers;

long fib(int n) {
  if (n < 2) {
    return n;
  }
  auto [x, y] = weft::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return x + y;
}

/// Suspends the calling task; another thread may end that through `node`.
void wait_for_ever(std::atomic<waiter*>& node) {
  const wait_reason why{"test", &node};
  wait(why, [&](waiter& mine) noexcept {
    node.store(&mine);
    return true;
  });
}

TEST(Runtime, run_returns_the_result) {
  weft::runtime runtime(with_workers(2));

  EXPECT_EQ(runtime.run([] { return 42; }), 42);
  EXPECT_EQ(runtime.num_workers(), 2);
}

TEST(Runtime, run_rethrows) {
  weft::runtime runtime(with_workers(2));

  EXPECT_THROW(runtime.run([] { throw std::domain_error("thrown"); }), std::domain_error);
}

TEST(Runtime, absurd_worker_counts_are_errors) {
  EXPECT_THROW(weft::runtime(with_workers(0)), weft::error);
  EXPECT_THROW(weft::runtime(with_workers(-3)), weft::error);
  EXPECT_THROW(weft::runtime(with_workers(1'000'000)), weft::error);
}

TEST(Runtime, several_at_once_keep_their_tasks) {
  weft::runtime first(with_workers(1));
  weft::runtime second(with_workers(3));

  const auto [one, three] = first.run([&] {
    const int mine = weft::default_runtime().num_workers() > 0 ? 1 : 0;
    return std::pair(mine, second.run([] { return fib(15); }));
  });

  EXPECT_EQ(one, 1);
  EXPECT_EQ(three, 610);
}

TEST(Init, asks_nothing_of_a_default_runtime_that_runs_unless_it_has_arguments_for_it) {
  std::string name("program");
  std::string own("--own");
  std::string workers("--weft:workers=1");
  std::array<char*, 3> without{name.data(), own.data(), nullptr};
  std::array<char*, 3> with{name.data(), workers.data(), nullptr};
  int num_without = 2;
  int num_with = 2;
  ASSERT_GT(weft::default_runtime().num_workers(), 0);

  const weft::init_result result = weft::try_init(num_without, without.data());

  EXPECT_EQ(result.text, "");
  EXPECT_FALSE(result.should_exit);
  EXPECT_EQ(num_without, 2);
  EXPECT_THAT([&] { static_cast<void>(weft::try_init(num_with, with.data())); },
              ThrowsMessage<weft::error>(HasSubstr("came too late")));
}

TEST(Runtime, resize_changes_who_works) {
  weft::runtime runtime(with_workers(1));
  for (const int count : {3, 1, 4, 2, 16, 1, 2}) {
    runtime.resize(count);
    EXPECT_EQ(runtime.num_workers(), count);
    EXPECT_EQ(runtime.run([] { return fib(18); }), 2584);
  }
  EXPECT_THROW(runtime.resize(0), weft::error);
  EXPECT_THROW(runtime.resize(1 << 20), weft::error);
  try {
    runtime.resize(-1);
    FAIL() << "nothing was thrown";
  } catch (const weft::error& raised) {
    EXPECT_NE(std::string(raised.what()).find("cannot have -1 workers: ask for 1 to "),
              std::string::npos)
        << raised.what();
  }
}

TEST(Runtime, resize_under_load_loses_nothing) {
  weft::runtime runtime(with_workers(4));
  std::atomic<bool> is_done{false};
  std::jthread resizer([&] {
    for (int i = 0; !is_done.load(); ++i) {
      runtime.resize(1 + (i % 4));
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  });

  for (int i = 0; i < 40; ++i) {
    ASSERT_EQ(runtime.run([] { return fib(19); }), 4181);
  }
  is_done = true;
}

TEST(Runtime, the_end_waits_for_tasks_that_others_will_wake) {
  std::atomic<waiter*> node{nullptr};
  std::atomic<bool> has_ended{false};
  std::jthread waker;
  {
    weft::runtime runtime(with_workers(2));
    std::jthread starter([&] {
      runtime.run([&] {
        wait_for_ever(node);
        has_ended = true;
      });
    });
    while (node.load() == nullptr) {
      std::this_thread::yield();
    }
    waker = std::jthread([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      weft::tasks::detail::resume(*node.load());
    });
  }

  EXPECT_TRUE(has_ended.load());
}

TEST(Fork, a_runtime_of_the_parent_is_refused_and_a_new_one_works) {
#if defined(__SANITIZE_THREAD__) || defined(WEFT_THREAD_SANITIZER)
  GTEST_SKIP() << "ThreadSanitizer allows no thread in a fork of a process with threads";
#endif
  weft::runtime runtime(with_workers(2));
  ASSERT_EQ(runtime.run([] { return 1; }), 1);
  ASSERT_EQ(fib(10), 55) << "the default runtime is up";

  const pid_t child = fork();
  if (child == 0) {
    bool is_refused = false;
    try {
      runtime.run([] {});
    } catch (const weft::error&) {
      is_refused = true;
    }
    std::_Exit(is_refused && fib(12) == 144 ? 0 : 1);
  }

  EXPECT_EQ(child_status(child), 0);
}

TEST(Fork, a_process_with_threads_of_its_own_may_end_runtimes_of_the_parent) {
#if defined(__SANITIZE_THREAD__) || defined(WEFT_THREAD_SANITIZER)
  GTEST_SKIP() << "ThreadSanitizer allows no thread in a fork of a process with threads";
#endif
  auto runtime = std::make_unique<weft::runtime>(with_workers(2));
  ASSERT_EQ(runtime->run([] { return 1; }), 1);

  const pid_t child = fork();
  if (child == 0) {
    std::vector<std::thread> threads;  // in the memory of the parent's
    threads.reserve(4);
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([] {});
    }
    std::ranges::for_each(threads, &std::thread::join);
    runtime.reset();
    std::_Exit(0);
  }

  EXPECT_EQ(child_status(child), 0);
}

TEST(Runtime, run_returns_references) {
  weft::runtime runtime(with_workers(2));
  std::string text = "here";
  const std::string& same = text;

  EXPECT_EQ(&runtime.run([&]() -> std::string& { return text; }), &text);
  EXPECT_EQ(&runtime.run([&]() -> const std::string& { return same; }), &text);
  EXPECT_EQ(std::string(runtime.run([&]() -> std::string&& { return std::move(text); })), "here");
}

// Uses the default runtime after that has ended with the other statics.
struct late_user {
  ~late_user() { std::_Exit(fib(10) == 55 ? 7 : 1); }
};

TEST(RuntimeEndDeathTest, a_process_may_end_in_a_task_and_use_the_default_runtime_at_its_end) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(weft::fork_join([] { std::exit(3); }, [] {}), testing::ExitedWithCode(3), "");
  EXPECT_EXIT(weft::fork_join([] { weft::blocking([] { std::exit(4); }); }, [] {}),
              testing::ExitedWithCode(4),
              "");
  EXPECT_EXIT(
      {
        auto* other = new weft::runtime(with_workers(1));  // which the default one's task waits for
        weft::default_runtime().run([&] { other->run([] { std::exit(5); }); });
      },
      testing::ExitedWithCode(5),
      "");
  EXPECT_EXIT(
      {
        static const late_user user;
        fib(10);
        std::exit(0);
      },
      testing::ExitedWithCode(7),
      "");
}

TEST(RuntimeEndDeathTest, a_runtime_that_its_own_task_destroys_says_so) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        auto runtime = std::make_unique<weft::runtime>(with_workers(2));
        runtime->run([&runtime] { runtime.reset(); });
      },
      "destroyed by one of its own tasks");
  EXPECT_DEATH(
      {
        auto runtime = std::make_unique<weft::runtime>(with_workers(2));
        runtime->run([&runtime] { weft::blocking([&runtime] { runtime.reset(); }); });
      },
      "destroyed by one of its own tasks");
}

TEST(Idle, sleeps_without_using_the_processor) {
  weft::runtime runtime(with_workers(4));
  runtime.run([] { weft::parallel_for(1000, [](std::size_t) {}); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the search ends

  timespec before{};
  timespec after{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
  const double used_s = static_cast<double>(after.tv_sec - before.tv_sec) +
                        1e-9 * static_cast<double>(after.tv_nsec - before.tv_nsec);

  EXPECT_LT(used_s, 0.005 * 0.5) << "half a percent of a core";
}

TEST(Runtime, idle_is_when_no_task_is_left) {
  weft::runtime home(with_workers(2));
  std::atomic<int> num_ended{0};

  home.run([&] {
    for (int i = 0; i < 20; ++i) {
      weft::post([&] {
        weft::this_task::sleep_for(std::chrono::milliseconds(1));
        weft::post([&] { ++num_ended; });
      });
    }
  });
  home.wait_until_idle();

  EXPECT_EQ(num_ended, 20);
}

std::vector<int> usable_cpus() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  sched_getaffinity(0, sizeof mask, &mask);
  std::vector<int> all;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &mask)) {
      all.push_back(cpu);
    }
  }
  return all;
}

TEST(Runtime, a_set_of_cpus_has_workers_of_its_own) {
  weft::runtime home(with_workers(1));
  const int last = usable_cpus().back();

  weft::runtime& part = home.on_cpus({last, last});

  EXPECT_EQ(part.num_workers(), 1);
  EXPECT_EQ(part.run([] { return sched_getcpu(); }), last);
  EXPECT_EQ(&home.on_cpus({last}), &part);
  EXPECT_EQ(home.run([&] { return part.run([] { return usable_cpus(); }); }), std::vector{last});
}

/// One of whose CPUs this process may use at least one.
int some_node() {
  const std::vector<weft::base::numa_node> nodes = weft::base::read_topology().numa_nodes;
  const auto has_usable_cpu = [usable = usable_cpus()](const weft::base::numa_node& each) {
    return std::ranges::find_first_of(each.hardware_threads, usable) != each.hardware_threads.end();
  };
  const auto found = std::ranges::find_if(nodes, has_usable_cpu);
  if (found == nodes.end()) {
    throw std::logic_error("no NUMA node holds a CPU that this process may use");
  }
  return found->id;
}

TEST(Runtime, a_numa_node_has_workers_of_its_own) {
  weft::runtime home(with_workers(1));

  weft::runtime& node = home.on_numa_node(some_node());

  EXPECT_GE(node.num_workers(), 1);
  EXPECT_THAT(node.run([] { return usable_cpus(); }), testing::SizeIs(1));
}

TEST(Runtime, cpus_that_cannot_be_had_are_refused) {
  weft::runtime home(with_workers(1));

  EXPECT_THAT([&] { static_cast<void>(home.on_cpus({})); },
              ThrowsMessage<weft::error>(HasSubstr("takes one at least")));
  EXPECT_THAT([&] { static_cast<void>(home.on_cpus({usable_cpus().back() + 1})); },
              ThrowsMessage<weft::error>(HasSubstr("is not one that this process may use")));
  EXPECT_THAT([&] { static_cast<void>(home.on_numa_node(-1)); },
              ThrowsMessage<weft::error>(HasSubstr("there is no NUMA node -1")));
}

TEST(Runtime, a_part_may_be_asked_for_while_its_runtime_ends) {
  std::atomic<int> num_ended{0};
  {
    weft::runtime home(with_workers(1));
    home.run([&] {
      weft::post([&] {
        weft::this_task::sleep_for(std::chrono::milliseconds(20));
        home.on_cpus({usable_cpus().front()}).run([&] { ++num_ended; });
      });
    });
  }
  EXPECT_EQ(num_ended, 1);
}

/// Tasks of several runtimes, each of which starts one of the next.
struct course {
  std::vector<weft::runtime*> around = {};
  std::chrono::milliseconds pause{0};
  std::atomic<std::size_t> num_ended{0};

  void hop(std::size_t num_left) {
    if (pause.count() != 0) {
      weft::this_task::sleep_for(pause);
    }
    ++num_ended;
    if (num_left == 0) {
      return;
    }
    around[num_left % around.size()]->run(
        [this, num_left] { weft::post([this, num_left] { hop(num_left - 1); }); });
  }
};

TEST(Runtime, ends_after_any_number_of_tasks_that_come_and_go_between_it_and_its_parts) {
  constexpr std::size_t num_hops = 60;
  course one{.pause = std::chrono::milliseconds(1)};
  {
    weft::runtime home(with_workers(1));
    weft::runtime& part = home.on_cpus({usable_cpus().front()});
    one.around = {
        &home, &part, &home.on_cpus({usable_cpus().back()}), &part.on_cpus({usable_cpus().back()})};
    home.run([&] { weft::post([&] { one.hop(num_hops); }); });
  }
  EXPECT_EQ(one.num_ended, num_hops + 1);
}

TEST(Runtime, ends_after_tasks_that_go_to_and_fro_without_rest) {
  constexpr int num_runtimes = 5;
  constexpr int num_rounds = 40;
  constexpr std::size_t num_courses = 3;
  constexpr std::size_t num_hops = 15;
  constexpr std::size_t num_per_round = num_courses * (num_hops + 1);
  for (int i = 0; i < num_runtimes; ++i) {
    course all;
    {
      weft::runtime home(with_workers(1));
      all.around = {&home, &home.on_cpus({usable_cpus().front()})};
      for (std::size_t round = 0; round < num_rounds; ++round) {
        weft::tasks::detail::wait_until_all_idle(home);
        ASSERT_EQ(all.num_ended, round * num_per_round);
        home.run([&] {
          for (std::size_t j = 0; j < num_courses; ++j) {
            weft::post([&] { all.hop(num_hops); });
          }
        });
      }
    }
    ASSERT_EQ(all.num_ended, num_rounds * num_per_round);
  }
}

TEST(Runtime, a_set_of_all_its_cpus_has_workers_of_its_own_and_is_waited_for_by_its_tasks) {
  const std::vector<int> all = usable_cpus();
  weft::runtime home(with_workers(static_cast<int>(all.size())));
  weft::runtime& part = home.on_cpus(all);
  std::atomic<int> num_ended{0};

  EXPECT_NE(&part, &home);
  home.run([&] {
    part.run([&] { weft::post([&] { ++num_ended; }); });
    part.wait_until_idle();
    EXPECT_EQ(num_ended, 1);
  });
}

TEST(Runtime, a_task_that_waits_until_its_own_runtime_is_idle_is_refused) {
  weft::runtime home(with_workers(2));
  const auto says_so = ThrowsMessage<weft::error>(HasSubstr("by one of the runtime's own tasks"));

  EXPECT_THAT([&] { home.run([&] { home.wait_until_idle(); }); }, says_so);
  EXPECT_THAT([&] { home.run([&] { weft::blocking([&] { home.wait_until_idle(); }); }); }, says_so);
}

TEST(RuntimeEndDeathTest, a_runtime_that_a_task_of_its_part_destroys_says_so) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        auto runtime = std::make_unique<weft::runtime>(with_workers(1));
        weft::runtime& part = runtime->on_numa_node(some_node());
        part.run([&runtime] { runtime.reset(); });
      },
      "destroyed by one of its own tasks");
}

}  // namespace runtime_test
