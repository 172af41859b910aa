// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Knobs, and programs that run while a policy turns them.
#include "weft/policies/knobs.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/for_each.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/base/error.hpp"
#include "weft/counters/session.hpp"
#include "weft/policies/every.hpp"
#include "weft/policies/policy.hpp"
#include "weft/policies/readings.hpp"
#include "weft/tasks/async.hpp"
#include "weft/tasks/fork_join.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/mutex.hpp"
#include "weft/tasks/post.hpp"
#include "weft/tasks/runtime.hpp"

#include "tests/support/comes_true.hpp"
#include "tests/tasks/with_workers.hpp"

namespace knobs_test {

using namespace std::chrono_literals;
using weft::policies::longest_search;
using weft::policies::policy;
using weft::policies::readings;
using weft::policies::workers_in_use;
using weft::test::comes_true;
using weft::test::with_workers;

TEST(Knobs, workers_in_use_can_be_changed) {
  weft::runtime runtime(with_workers(3));
  const workers_in_use workers(runtime);
  weft::counters::session session{"/policies/count/decisions"};
  EXPECT_EQ(workers.most(), 3);
  EXPECT_EQ(workers.value(), 3);

  EXPECT_TRUE(workers.set(1));
  EXPECT_EQ(runtime.num_workers(), 1);
  EXPECT_FALSE(workers.set(0));  // at least one
  EXPECT_EQ(workers.value(), 1);
  EXPECT_TRUE(workers.set(99));
  EXPECT_EQ(workers.value(), 3);

  EXPECT_EQ(session.evaluate().number_of("/policies/count/decisions"), 2);
}

TEST(Knobs, the_limit_is_what_the_runtime_was_resized_to) {
  weft::runtime runtime(with_workers(2));
  const workers_in_use workers(runtime);
  workers.set(1);
  EXPECT_EQ(workers_in_use(runtime).most(), 2);

  runtime.resize(4);
  EXPECT_EQ(workers.value(), 4);
  EXPECT_EQ(workers.most(), 4);
  runtime.resize(1);
  EXPECT_FALSE(workers.set(4));
  EXPECT_EQ(workers.value(), 1);
}

TEST(Knobs, a_runtime_ends_with_all_its_workers) {
  std::atomic<int> num_begun{0};
  {
    weft::runtime home(with_workers(2));
    weft::policies::workers_in_use(home).set(1);
    home.run([&num_begun] {
      for (int i = 0; i < 2; ++i) {
        weft::post([&num_begun] {
          ++num_begun;
          while (num_begun != 2) {  // for the other one, which needs a worker of its own
            std::this_thread::yield();
          }
        });
      }
    });
  }
  EXPECT_EQ(num_begun, 2);
}

TEST(Knobs, the_search_time_can_be_changed) {
  weft::runtime runtime(with_workers(2));
  const longest_search search(runtime);
  EXPECT_EQ(search.value(), 1000us);

  EXPECT_TRUE(search.set(1us));
  EXPECT_FALSE(search.set(1us));
  EXPECT_EQ(search.value(), 1us);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(runtime.run([] {
      auto [x, y] = weft::fork_join([] { return 1; }, [] { return 2; });
      return x + y;
    }),
              3);
  }
  EXPECT_THROW(search.set(0us), weft::error);
  EXPECT_THROW(search.set(2s), weft::error);
}

TEST(Knobs, a_knob_outlives_its_runtime) {
  auto runtime = std::make_unique<weft::runtime>(with_workers(2));
  const workers_in_use workers(*runtime);
  const longest_search search(*runtime);
  runtime.reset();

  EXPECT_EQ(workers.value(), std::nullopt);
  EXPECT_FALSE(workers.set(1));
  EXPECT_EQ(search.value(), std::nullopt);
  EXPECT_FALSE(search.set(1us));
}

TEST(Knobs, runtimes_end_while_policies_turn_their_knobs) {
  for (int i = 0; i < 20; ++i) {
    auto runtime = std::make_unique<weft::runtime>(with_workers(2));
    std::atomic<int> num_calls{0};
    const policy turning =
        weft::policies::every(10us, {}, [&, workers = workers_in_use(*runtime)](const readings&) {
          workers.set(1 + ++num_calls % 2);
        });
    EXPECT_TRUE(comes_true([&] { return num_calls > 1; }));
    runtime.reset();
  }
}

long fib(int n) {
  if (n < 2) {
    return n;
  }
  auto [x, y] = weft::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return x + y;
}

/// Increments a number under a mutex in many tasks, which wait for each other.
long locked_sum(int num_tasks) {
  weft::mutex mutex;
  long sum = 0;
  std::vector<weft::future<void>> done;
  done.reserve(static_cast<std::size_t>(num_tasks));
  for (int i = 0; i < num_tasks; ++i) {
    done.push_back(weft::async([&] {
      for (int k = 0; k < 10; ++k) {
        const std::scoped_lock lock(mutex);
        ++sum;
      }
    }));
  }
  for (auto& each : done) {
    each.get();
  }
  return sum;
}

long loop_sum(std::size_t size) {
  std::vector<long> numbers(size);
  std::iota(numbers.begin(), numbers.end(), 0L);
  std::atomic<long> sum{0};
  weft::for_each(weft::par, numbers.begin(), numbers.end(), [&](long x) {
    sum.fetch_add(x, std::memory_order_relaxed);
  });
  return sum;
}

/// Every kind of work, from tasks and from a thread that is no worker, while another thread changes
/// the number of workers in use all the time.
void work_while_workers_change(int most) {
  weft::runtime runtime(with_workers(most));
  std::atomic<bool> is_done{false};
  std::jthread changing([&] {
    const workers_in_use workers(runtime);
    std::mt19937 dice(42);
    while (!is_done) {
      workers.set(std::uniform_int_distribution<int>(1, most)(dice));
      for (auto i = dice() % 500; i > 0; --i) {
        std::this_thread::yield();
      }
    }
  });
  for (int round = 0; round < 30; ++round) {
    EXPECT_EQ(runtime.run([] { return fib(12); }), 144);
    EXPECT_EQ(runtime.run([] { return locked_sum(20); }), 200);
    EXPECT_EQ(runtime.run([] { return loop_sum(5000); }), 12'497'500);
    weft::future<long> later = weft::async([] { return loop_sum(1000); });
    EXPECT_EQ(later.get(), 499'500);
  }
  is_done = true;
  changing.join();
  workers_in_use(runtime).set(most);
  EXPECT_EQ(runtime.run([] { return fib(10); }), 55);
}

TEST(Knobs, programs_run_while_the_workers_in_use_change) { work_while_workers_change(4); }
TEST(Knobs, programs_run_on_two_workers_while_one_comes_and_goes) { work_while_workers_change(2); }
TEST(Knobs, programs_run_on_the_only_worker) { work_while_workers_change(1); }

TEST(Knobs, a_thread_that_is_no_worker_runs_algorithms_while_workers_change) {
  weft::runtime& runtime = weft::default_runtime();
  runtime.resize(3);
  std::atomic<bool> is_done{false};
  std::jthread changing([&] {
    const workers_in_use workers(runtime);
    for (int i = 0; !is_done; ++i) {
      workers.set(1 + i % 3);
      std::this_thread::yield();
    }
  });
  for (int round = 0; round < 100; ++round) {
    EXPECT_EQ(loop_sum(20'000), 199'990'000);
  }
  is_done = true;
}

}  // namespace knobs_test
