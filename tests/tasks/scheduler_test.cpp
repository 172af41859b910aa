// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scheduler by itself: without membarrier, fair, and with counts that add up.
#include "tasks/scheduler/scheduler.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "weft/counters/block_registry.hpp"
#include "weft/counters/ticks.hpp"
#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/scheduler/forked.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"
#include "weft/tasks/fork_join.hpp"
#include "weft/tasks/post.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_options.hpp"
#include "weft/tasks/this_task.hpp"

#include "tasks/deque/injection_queue.hpp"
#include "tasks/scheduler/search_time.hpp"

namespace {

/// Calls by which a thread bars itself from where it is.
std::atomic<int> num_departures{0};

}  // namespace

/// In place of the C library's, to see who leaves.
extern "C" int sched_setaffinity(pid_t thread, std::size_t size, const cpu_set_t* mask) noexcept {
  const int here = sched_getcpu();
  if (here >= 0 && !CPU_ISSET_S(static_cast<std::size_t>(here), size, mask)) {
    ++num_departures;
  }
  return static_cast<int>(syscall(SYS_sched_setaffinity, thread, size, mask));
}

namespace {

namespace detail = weft::tasks::detail;
using namespace std::chrono_literals;

long fib(int n) {
  if (n < 2) {
    return n;
  }
  auto [x, y] = weft::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return x + y;
}

/// One of those that a thread pushes, which are numbered.
struct numbered final : detail::task {
  numbered() noexcept : task(nullptr) {}
  std::size_t pusher = 0;
  int number = 0;
};

TEST(InjectionQueue, is_first_in_first_out) {
  detail::injection_queue queue;
  std::array<numbered, 5> all;
  EXPECT_EQ(queue.pop(), nullptr);
  queue.push(all[0]);
  queue.push(all[1]);
  queue.push(all[2]);
  EXPECT_EQ(queue.size(), 3U);
  EXPECT_EQ(queue.pop(), &all[0]);
  queue.push(all[3]);
  EXPECT_EQ(queue.pop(), &all[1]);
  EXPECT_FALSE(queue.is_empty());
  EXPECT_EQ(queue.pop(), &all[2]);
  EXPECT_EQ(queue.pop(), &all[3]);
  EXPECT_TRUE(queue.is_empty());
  queue.push(all[4]);
  EXPECT_EQ(queue.pop(), &all[4]);
  EXPECT_EQ(queue.pop(), nullptr);
  EXPECT_EQ(queue.size(), 0U);
  EXPECT_EQ(queue.num_pushed(), 5U);
}

TEST(InjectionQueue, loses_nothing_and_keeps_each_pushers_order) {
  constexpr std::size_t num_pushers = 3;
  constexpr std::size_t num_poppers = 2;
  constexpr std::size_t per_pusher = 2'000;
  detail::injection_queue queue;
  std::vector<std::vector<numbered>> tasks(num_pushers);
  std::array<std::vector<const numbered*>, num_poppers> popped;
  std::atomic<std::size_t> num_popped{0};
  {
    std::vector<std::jthread> threads;
    for (std::size_t pusher = 0; pusher < num_pushers; ++pusher) {
      tasks[pusher] = std::vector<numbered>(per_pusher);
      threads.emplace_back([&queue, &mine = tasks[pusher], pusher] {
        int number = 0;
        for (numbered& each : mine) {
          each.pusher = pusher;
          each.number = number++;
          queue.push(each);
        }
      });
    }
    for (auto& mine : popped) {
      threads.emplace_back([&queue, &num_popped, &mine] {
        while (num_popped.load() < num_pushers * per_pusher) {
          if (const detail::task* t = queue.pop()) {
            mine.push_back(static_cast<const numbered*>(t));
            ++num_popped;
          }
        }
      });
    }
  }

  EXPECT_TRUE(queue.is_empty());
  std::set<const numbered*> distinct;
  for (const auto& mine : popped) {
    std::array<int, num_pushers> last{-1, -1, -1};
    for (const numbered* each : mine) {
      EXPECT_LT(last[each->pusher], each->number);
      last[each->pusher] = each->number;
      distinct.insert(each);
    }
  }
  EXPECT_EQ(distinct.size(), num_pushers * per_pusher);
}

TEST(BackOff, grows_while_finds_are_too_small_and_ends_with_one_that_is_not) {
  std::chrono::nanoseconds pause = 0ns;
  for (const auto expected : {500ns, 1000ns, 2000ns, 4000ns, 8000ns, 16000ns, 16000ns}) {
    pause = detail::next_back_off(pause, 100ns);
    EXPECT_EQ(pause, expected);
  }
  EXPECT_EQ(detail::next_back_off(pause, 1us), 0ns);
}

TEST(BackOff, a_steal_gains_nothing_if_the_victim_could_have_continued_at_once) {
  using time_point = detail::steal_times::time_point;
  const time_point found(10us);

  EXPECT_EQ(detail::gained_by({.found_at = found, .stolen_from_at = {}}, found + 3us), 3us)
      << "a thief, until it has done what it found";
  const detail::steal_times stolen{
      .found_at = found, .stolen_from_at = found + 20us, .joined_at = found + 20us + 5ns};
  EXPECT_EQ(detail::gained_by(stolen, found + 90us), 5ns) << "however long it worked before";
  const detail::steal_times both{
      .found_at = found, .stolen_from_at = found - 1us, .joined_at = found + 100ns};
  EXPECT_EQ(detail::gained_by(both, found + 90us), 100ns) << "without the wait";
  const detail::steal_times before{
      .found_at = found, .stolen_from_at = found - 9us, .joined_at = found - 8us};
  EXPECT_EQ(detail::gained_by(before, found + 2us), 2us) << "that join is over";
}

TEST(SearchTime, grows_while_work_is_offered_soon_after_a_sleep_began) {
  std::uint32_t search_us = detail::shortest_search_us;
  for (const std::uint32_t expected : {100U, 200U, 400U, 800U, 1000U, 1000U}) {
    search_us = detail::next_search_us(search_us, true, 300us);
    EXPECT_EQ(search_us, expected);
  }
  for (const std::uint32_t expected : {500U, 250U, 125U, 62U, 50U, 50U}) {
    search_us =
        detail::next_search_us(search_us, true, 5ms);  // no search would have lasted so long
    EXPECT_EQ(search_us, expected);
  }
  EXPECT_EQ(detail::next_search_us(1000, false, 10us), detail::shortest_search_us);
  EXPECT_EQ(detail::next_search_us(800, true, 1500us, {.longest_us = 2000}), 1600U);
  EXPECT_EQ(detail::next_search_us(1000, true, 10us, {.longest_us = 20}), 20U);
  EXPECT_EQ(detail::next_search_us(1000, false, 10us, {.shortest_us = 20}), 20U);
  EXPECT_EQ(detail::next_search_us(40, true, 5ms, {.shortest_us = 30}), 30U);
}

/// Says where whoever runs it may run.
struct mask_probe final : detail::task {
  mask_probe() noexcept : task(read) { CPU_ZERO(&mask); }
  static detail::waiter* read(task& t) noexcept {
    auto& me = static_cast<mask_probe&>(t);
    sched_getaffinity(0, sizeof me.mask, &me.mask);
    me.is_read.store(true, std::memory_order_release);
    return nullptr;
  }
  cpu_set_t mask{};
  std::atomic<bool> is_read{false};
};

/// Offers `share` from the worker that runs it, which then is on the offering thread's processor.
struct offer_from_worker final : detail::task {
  offer_from_worker(detail::scheduler& runtime, mask_probe& offered) noexcept
      : task(offer), home(runtime), share(offered) {}
  static detail::waiter* offer(task& t) noexcept {
    auto& me = static_cast<offer_from_worker&>(t);
    me.home.inject_optional(me.share, std::nullopt);
    me.is_over.store(true, std::memory_order_release);
    return nullptr;
  }
  detail::scheduler& home;
  mask_probe& share;
  std::atomic<bool> is_over{false};
};

TEST(OptionalWork, leaves_the_processor_of_who_offered_it_and_gets_its_mask_back) {
  cpu_set_t own;
  CPU_ZERO(&own);
  ASSERT_EQ(sched_getaffinity(0, sizeof own, &own), 0);
  if (CPU_COUNT(&own) < 2) {
    GTEST_SKIP() << "nowhere to go";
  }
  detail::scheduler home({.num_workers = 1, .stacks = {}});
  num_departures = 0;
  const auto deadline = std::chrono::steady_clock::now() + 2s;
  while (num_departures == 0 && std::chrono::steady_clock::now() < deadline) {
    mask_probe share;
    offer_from_worker first(home, share);
    home.inject_optional(first, std::nullopt);
    while (!first.is_over.load(std::memory_order_acquire) ||
           !share.is_read.load(std::memory_order_acquire)) {
      std::this_thread::yield();
    }
    std::this_thread::sleep_for(1ms);  // it searches, where its own offer came from
  }
  EXPECT_GT(num_departures, 0);
  mask_probe after;
  home.inject_optional(after, std::nullopt);
  while (!after.is_read.load(std::memory_order_acquire)) {
    std::this_thread::yield();
  }
  EXPECT_TRUE(CPU_EQUAL(&after.mask, &own));
}

class Scheduler : public testing::TestWithParam<unsigned> {};

TEST_P(Scheduler, works_where_the_kernel_refuses_membarrier) {
  detail::scheduler home({.num_workers = GetParam(), .stacks = {}, .use_membarrier = false});
  for (int i = 0; i < 5; ++i) {
    auto body = [] { return fib(18); };
    detail::forked task(body);
    detail::run_and_wait(home, task);
    ASSERT_EQ(task.take(), 2584);
  }
}

TEST_P(Scheduler, a_task_that_always_starts_another_starves_none) {
  weft::runtime_options options;
  options.workers = static_cast<int>(GetParam());
  weft::runtime runtime(options);

  // A chain of tasks, each on top of the deque, until the task below all of them has run.
  std::atomic<bool> has_run{false};
  std::atomic<bool> has_ended{false};
  runtime.run([&] {
    struct chain {
      static void link(std::atomic<bool>& run, std::atomic<bool>& ended) {
        if (run.load()) {
          ended = true;
        } else {
          weft::post([&run, &ended] { link(run, ended); });
        }
      }
    };
    weft::post([&] { has_run = true; });
    weft::post([&] { chain::link(has_run, has_ended); });
    while (!has_ended.load()) {
      weft::this_task::yield();
    }
  });

  EXPECT_TRUE(has_run.load());
}

TEST_P(Scheduler, times_in_states_add_up_to_the_workers_lives) {
  const auto before = weft::counters::process_blocks().totals();
  const std::uint64_t begin_ticks = weft::counters::ticks_now();
  {
    detail::scheduler home({.num_workers = GetParam(), .stacks = {}});
    auto body = [] { return fib(20); };
    detail::forked task(body);
    detail::run_and_wait(home, task);
    ASSERT_EQ(task.take(), 6765);
  }
  const std::uint64_t wall_ticks = weft::counters::ticks_now() - begin_ticks;
  const auto after = weft::counters::process_blocks().totals();

  const auto executing = after.ticks_executing - before.ticks_executing;
  const auto spent = executing + (after.ticks_searching - before.ticks_searching) +
                     (after.ticks_parked - before.ticks_parked);
  EXPECT_GT(executing, 0U);
  EXPECT_GT(after.tasks_executed, before.tasks_executed);
  EXPECT_LE(spent, wall_ticks * GetParam());
}

INSTANTIATE_TEST_SUITE_P(Workers, Scheduler, testing::Values(1U, 2U, 4U, 16U));

}  // namespace
