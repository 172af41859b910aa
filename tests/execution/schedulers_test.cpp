// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where work runs: on loops, on workers, and back; and how one waits for it.
#include <atomic>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <time.h>

#include "weft/execution/bulk.hpp"
#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/continues_on.hpp"
#include "weft/execution/inline_scheduler.hpp"
#include "weft/execution/just.hpp"
#include "weft/execution/let.hpp"
#include "weft/execution/on.hpp"
#include "weft/execution/parallel_scheduler.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/read_env.hpp"
#include "weft/execution/run_loop.hpp"
#include "weft/execution/runtime_scheduler.hpp"
#include "weft/execution/scheduler.hpp"
#include "weft/execution/sender.hpp"
#include "weft/execution/spawn.hpp"
#include "weft/execution/starts_on.hpp"
#include "weft/execution/stop_token.hpp"
#include "weft/execution/sync_wait.hpp"
#include "weft/execution/task_scheduler.hpp"
#include "weft/execution/then.hpp"
#include "weft/execution/when_all.hpp"
#include "weft/execution/write_env.hpp"
#include "weft/tasks/deadlock.hpp"
#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/promise.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_options.hpp"
#include "weft/tasks/this_task.hpp"

#include "execution/probe.hpp"

namespace weft::execution {
namespace schedulers_test {

bool is_on_worker() { return tasks::detail::self() != nullptr; }

runtime_options with_workers(int count) {
  runtime_options options;
  options.workers = count;
  return options;
}

/// All that a scheduler needs but a guarantee.
struct promises_nothing {
  using scheduler_concept = scheduler_tag;
  [[nodiscard]] static auto schedule() noexcept { return inline_scheduler().schedule(); }
  bool operator==(const promises_nothing&) const noexcept = default;
};

TEST(Concepts, schedulers_are_schedulers) {
  EXPECT_TRUE(scheduler<runtime_scheduler>);
  EXPECT_TRUE(scheduler<run_loop::loop_scheduler>);
  EXPECT_TRUE(scheduler<inline_scheduler>);
  EXPECT_FALSE(scheduler<int>);
  EXPECT_FALSE(scheduler<promises_nothing>);
}

template <class Scheduler>
void expect_to_complete_on(const Scheduler& there) {
  const auto sender = schedule(there);
  EXPECT_EQ(get_completion_scheduler<set_value_t>(get_env(sender)), there);
  EXPECT_EQ(get_completion_scheduler<set_stopped_t>(get_env(sender)), there);
}

TEST(Concepts, schedule_says_where_it_completes) {
  runtime pool(with_workers(1));
  run_loop loop;
  expect_to_complete_on(pool.get_scheduler());
  expect_to_complete_on(loop.get_scheduler());
  expect_to_complete_on(task_scheduler(pool.get_scheduler()));
}

TEST(Concepts, what_is_run_inline_completes_where_it_is_started) {
  run_loop loop;
  const auto sender = schedule(inline_scheduler());
  const prop started(get_start_scheduler, loop.get_scheduler());

  EXPECT_EQ(get_completion_scheduler<set_value_t>(get_env(sender), started), loop.get_scheduler());
  EXPECT_FALSE(
      (std::invocable<get_completion_scheduler_t<set_value_t>, env_of_t<decltype(sender)>>));
  EXPECT_EQ(get_completion_scheduler<set_value_t>(loop.get_scheduler(), started),
            loop.get_scheduler());
}

TEST(ParallelScheduler, the_parallel_scheduler_is_the_default_runtimes) {
  const parallel_scheduler shared = get_parallel_scheduler();
  std::atomic<int> sum{0};
  const auto sent =
      sync_wait(schedule(shared) | bulk(10, [&sum](int i) { sum += i; }) | then(is_on_worker));

  EXPECT_EQ(sent, std::tuple(true));
  EXPECT_EQ(sum, 45);
  EXPECT_TRUE(shared == get_parallel_scheduler());
  EXPECT_TRUE(sync_wait(schedule(shared) | continues_on(shared) | then([] {})).has_value());
}

TEST(RunLoop, runs_in_order) {
  run_loop loop;
  std::vector<int> order;
  std::vector<test::outcome> results(3);
  const auto numbered = [&](int i) {
    return schedule(loop.get_scheduler()) | then([&order, i] { order.push_back(i); });
  };
  auto first = connect(numbered(0), test::probe(results.data()));
  auto second = connect(numbered(1), test::probe(&results[1]));
  auto third = connect(numbered(2), test::probe(&results[2]));
  first.start();
  second.start();
  third.start();
  EXPECT_TRUE(order.empty());

  loop.finish();
  loop.run();

  EXPECT_EQ(order, (std::vector<int>{0, 1, 2}));
}

TEST(RunLoop, a_stop_request_reaches_what_is_queued) {
  run_loop loop;
  inplace_stop_source source;
  test::outcome result;
  auto operation = connect(schedule(loop.get_scheduler()),
                           test::probe(&result, prop(get_stop_token, source.get_token())));
  operation.start();
  source.request_stop();
  loop.finish();
  loop.run();

  EXPECT_EQ(result.num_stops, 1);
}

TEST(RunLoop, others_push_while_it_runs) {
  run_loop loop;
  constexpr int num_items = 2000;
  std::atomic<int> count = 0;
  std::thread pusher([&] {
    for (int i = 0; i < num_items; ++i) {
      sync_wait(schedule(loop.get_scheduler()) | then([&] { ++count; }));
    }
    loop.finish();
  });
  loop.run();
  pusher.join();

  EXPECT_EQ(count, num_items);
}

double thread_cpu_s() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

TEST(RunLoop, a_thread_that_finds_nothing_to_do_sleeps) {
  constexpr std::chrono::milliseconds idle(200);
  run_loop loop;
  const std::jthread finishes([&] {
    std::this_thread::sleep_for(idle);  // an idle time to compare with: load can only lengthen it
    loop.finish();
  });

  const double begin_s = thread_cpu_s();
  loop.run();

  EXPECT_LT(thread_cpu_s() - begin_s, 0.25 * std::chrono::duration<double>(idle).count());
}

TEST(SyncWait, returns_what_was_sent) {
  const auto sent = sync_wait(just(1, std::string("two")));
  ASSERT_TRUE(sent.has_value());
  EXPECT_EQ(*sent, std::tuple(1, std::string("two")));
  EXPECT_FALSE(sync_wait(just_stopped()).has_value());
  EXPECT_THROW(sync_wait(just_error(std::runtime_error("no"))), std::runtime_error);
  EXPECT_THROW(sync_wait(just_error(4)), int);
  EXPECT_TRUE(this_thread::sync_wait(just()).has_value());
}

TEST(SyncWait, an_error_code_is_thrown_as_system_error) {
  const std::error_code late = std::make_error_code(std::errc::timed_out);
  try {
    sync_wait(just_error(late));
    FAIL() << "nothing was thrown";
  } catch (const std::system_error& thrown) {
    EXPECT_EQ(thrown.code(), late);
  }
}

TEST(SyncWait, with_variant_tells_the_kinds_apart) {
  const auto sent = sync_wait_with_variant(just(3));
  ASSERT_TRUE(sent.has_value());
  EXPECT_EQ(std::get<std::tuple<int>>(*sent), std::tuple(3));
  EXPECT_FALSE(sync_wait_with_variant(just_stopped()).has_value());
}

TEST(SyncWait, its_loop_is_the_scheduler_of_what_it_starts) {
  const std::thread::id here = std::this_thread::get_id();
  const auto where = sync_wait(read_env(get_scheduler) | let_value([](auto& scheduler) {
                                 return starts_on(scheduler, just()) |
                                        then([] { return std::this_thread::get_id(); });
                               }));
  ASSERT_TRUE(where.has_value());
  EXPECT_EQ(std::get<0>(*where), here);
}

TEST(RuntimeScheduler, work_runs_on_a_worker) {
  runtime pool(with_workers(2));
  const std::thread::id here = std::this_thread::get_id();
  const auto where = sync_wait(schedule(pool.get_scheduler()) | then([] {
                                 return std::tuple(std::this_thread::get_id(), is_on_worker());
                               }));
  ASSERT_TRUE(where.has_value());
  EXPECT_NE(std::get<0>(std::get<0>(*where)), here);
  EXPECT_TRUE(std::get<1>(std::get<0>(*where)));
}

TEST(RuntimeScheduler, a_stop_request_reaches_what_is_queued) {
  runtime pool(with_workers(1));
  inplace_stop_source source;
  source.request_stop();
  const auto sent = sync_wait(schedule(pool.get_scheduler()) |
                              write_env(prop(get_stop_token, source.get_token())));
  EXPECT_FALSE(sent.has_value());
}

TEST(RuntimeScheduler, sync_wait_within_a_task_waits_for_its_own_work_only) {
  runtime pool(with_workers(1));
  const int result = pool.run([&] {
    const auto sent = sync_wait(schedule(pool.get_scheduler()) | then([] { return 5; }));
    return std::get<0>(sent.value());
  });
  EXPECT_EQ(result, 5);
}

int nested(runtime& pool, int depth) {
  if (depth == 0) {
    return 0;
  }
  const auto sent = sync_wait(schedule(pool.get_scheduler()) |
                              then([&pool, depth] { return nested(pool, depth - 1) + 1; }));
  return std::get<0>(sent.value());
}

TEST(RuntimeScheduler, sync_wait_nests_1000_deep_on_one_worker) {
  runtime pool(with_workers(1));
  EXPECT_EQ(pool.run([&] { return nested(pool, 1000); }), 1000);
}

int nested_elsewhere(runtime& pool, runtime& other, int depth) {
  if (depth == 0) {
    return 0;
  }
  const auto sent =
      sync_wait(on(other.get_scheduler(),
                   just() | then([&, depth] { return nested_elsewhere(other, pool, depth - 1); })));
  return std::get<0>(sent.value()) + 1;
}

TEST(RuntimeScheduler, sync_wait_nests_between_two_runtimes) {
  runtime one(with_workers(1));
  runtime other(with_workers(1));
  EXPECT_EQ(nested_elsewhere(one, other, 40), 40);
}

TEST(RuntimeScheduler, sync_wait_takes_nothing_back_that_waits_for_its_loop) {
  runtime pool(with_workers(1));
  runtime other(with_workers(1));
  promise<void> ready;
  future<void> is_ready = ready.get_future();
  bool was_ready = false;
  pool.run([&] {
    sync_wait(when_all(schedule(pool.get_scheduler()) | then([&] {
                         is_ready.get();
                         was_ready = true;
                       }),
                       on(other.get_scheduler(), just() | then([] { this_task::yield(); })) |
                           then([&] { ready.set_value(); })));
  });
  EXPECT_TRUE(was_ready);
}

/// A runtime whose only task waits for ever, with that choice of what is to be done about it.
runtime& standing_still(deadlock_action action) {
  runtime_options options = with_workers(1);
  options.deadlock = action;
  return *new runtime(options);  // its tasks never end
}

TEST(StandstillDeathTest, a_loop_raises_it_and_can_be_run_again) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        promise<void> never;
        future<void> waited_for = never.get_future();
        start_detached(schedule(standing_still(deadlock_action::raise).get_scheduler()) |
                       then([&] { waited_for.get(); }));
        run_loop loop;
        test::outcome result;
        auto operation = connect(schedule(loop.get_scheduler()), test::probe(&result));
        try {
          loop.run();
        } catch (const deadlock_error&) {
          operation.start();
          loop.finish();
          loop.run();
        }
        std::_Exit(result.num_values == 1 ? 7 : 1);
      },
      testing::ExitedWithCode(7),
      "");
}

TEST(StandstillDeathTest, sync_wait_keeps_its_frame) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        promise<void> never;
        future<void> waited_for = never.get_future();
        try {
          sync_wait(schedule(standing_still(deadlock_action::raise).get_scheduler()) |
                    then([&] { waited_for.get(); }));
        } catch (const deadlock_error&) {
          std::_Exit(0);  // the operation is gone, and its task is not
        }
      },
      "no task can go on");
}

TEST(StartsOn, starts_on_starts_there) {
  runtime pool(with_workers(1));
  EXPECT_TRUE(
      std::get<0>(*sync_wait(starts_on(pool.get_scheduler(), just() | then(is_on_worker)))));
  const auto found = sync_wait(starts_on(pool.get_scheduler(), read_env(get_scheduler)));
  EXPECT_EQ(std::get<0>(*found), pool.get_scheduler());
  EXPECT_THROW(sync_wait(starts_on(pool.get_scheduler(), just_error(1))), int);
  EXPECT_FALSE(sync_wait(starts_on(pool.get_scheduler(), just_stopped())).has_value());
}

TEST(ContinuesOn, continues_on_completes_there) {
  runtime pool(with_workers(1));
  const auto sent =
      sync_wait(just(std::string("carried")) | continues_on(pool.get_scheduler()) |
                then([](std::string s) { return std::tuple(std::move(s), is_on_worker()); }));
  EXPECT_EQ(std::get<0>(*sent), std::tuple(std::string("carried"), true));
  EXPECT_TRUE(std::get<0>(*sync_wait(just_error(1) | continues_on(pool.get_scheduler()) |
                                     upon_error([](auto&&) { return is_on_worker(); }))));
  EXPECT_TRUE(std::get<0>(*sync_wait(just_stopped() | continues_on(pool.get_scheduler()) |
                                     upon_stopped(is_on_worker))));
}

struct throws_when_copied {
  throws_when_copied() = default;
  throws_when_copied(const throws_when_copied& /*other*/) { test::fail_with("not copied"); }
};

TEST(ContinuesOn, an_error_of_copying_is_sent) {
  const throws_when_copied kept;
  test::expect_error(just() | then([&]() -> const throws_when_copied& { return kept; }) |
                         continues_on(inline_scheduler()) | then([](auto&&) { return 1; }),
                     "not copied");
}

TEST(On, on_comes_back) {
  runtime pool(with_workers(1));
  const std::thread::id here = std::this_thread::get_id();
  bool was_on_worker = false;
  const auto back =
      sync_wait(on(pool.get_scheduler(), just() | then([&] { was_on_worker = is_on_worker(); })) |
                then([] { return std::this_thread::get_id(); }));
  EXPECT_TRUE(was_on_worker);
  EXPECT_EQ(std::get<0>(*back), here);
}

TEST(On, with_a_closure_only_that_runs_there) {
  runtime pool(with_workers(1));
  const auto sent =
      sync_wait(just() | then(is_on_worker) | on(pool.get_scheduler(), then([](bool before) {
                                                   return std::tuple(before, is_on_worker());
                                                 })) |
                then([](std::tuple<bool, bool> seen) {
                  return std::tuple_cat(seen, std::tuple(is_on_worker()));
                }));
  EXPECT_EQ(std::get<0>(*sent), std::tuple(false, true, false));
}

// What bulk does.

std::vector<int> counts_of(const std::vector<std::atomic<int>>& cells) {
  return {cells.begin(), cells.end()};
}

TEST(Bulk, calls_every_index_once) {
  runtime pool(with_workers(2));
  for (const int n : {0, 1, 7, 1000}) {
    std::vector<std::atomic<int>> whole(static_cast<std::size_t>(n));
    std::vector<std::atomic<int>> chunked(static_cast<std::size_t>(n));
    std::vector<std::atomic<int>> single(static_cast<std::size_t>(n));
    const auto at = [](auto& cells, int i) -> auto& { return cells[static_cast<std::size_t>(i)]; };
    const auto sent = sync_wait(schedule(pool.get_scheduler()) | then([] { return 3; }) |
                                bulk(n, [&](int i, int& three) { at(whole, i) += three - 2; }) |
                                bulk_chunked(n,
                                             [&](int first, int last, int&) {
                                               for (; first < last; ++first) {
                                                 ++at(chunked, first);
                                               }
                                             }) |
                                bulk_unchunked(n, [&](int i, int&) { ++at(single, i); }));
    const std::vector<int> ones(static_cast<std::size_t>(n), 1);
    EXPECT_EQ(std::get<0>(*sent), 3);
    EXPECT_EQ(counts_of(whole), ones);
    EXPECT_EQ(counts_of(chunked), ones);
    EXPECT_EQ(counts_of(single), ones);
  }
}

TEST(Bulk, no_chunks_of_nothing) {
  int calls = 0;
  const detail::chunk_call call{
      [](void* context, std::size_t, std::size_t) { ++*static_cast<int*>(context); }, &calls};
  detail::run_chunks(0, 0, call);
  detail::run_chunks(1, 0, call);
  EXPECT_EQ(calls, 1);
}

TEST(Bulk, errors_and_stops) {
  runtime pool(with_workers(2));
  EXPECT_THROW(sync_wait(schedule(pool.get_scheduler()) | bulk(100,
                                                               [](int i) {
                                                                 if (i == 17) {
                                                                   throw std::runtime_error("17");
                                                                 }
                                                               })),
               std::runtime_error);
  int calls = 0;
  test::expect_error(just_error(1) | bulk(10, [&](int) { ++calls; }), "1");
  test::expect_stopped(just_stopped() | bulk(10, [&](int) { ++calls; }));
  test::expect_value(just(4) | bulk(-3, [&](int, int&) { ++calls; }), 4);
  EXPECT_EQ(calls, 0);
}

/// A body that ends only when two threads are in it, and which tells how many there were.
class meeting {
 public:
  void operator()(int /*index*/) {
    const std::lock_guard guard(mutex_);
    seen_.insert(std::this_thread::get_id());
    if (seen_.size() < 2) {
      mutex_.unlock();
      for (int i = 0; i < 20000 && num_seen() < 2; ++i) {
        std::this_thread::yield();
      }
      mutex_.lock();
    }
  }
  std::size_t num_seen() {
    const std::lock_guard guard(mutex_);
    return seen_.size();
  }

 private:
  std::mutex mutex_;
  std::set<std::thread::id> seen_;
};

template <class MakeSender>
void expect_two_threads(MakeSender make) {
  runtime pool(with_workers(2));
  meeting all;
  const auto work = [&all](int i, auto&&...) { all(i); };
  sync_wait(make(pool.get_scheduler(), bulk(64, work)));
  EXPECT_GE(all.num_seen(), 2U);
}

TEST(Bulk, is_parallel_in_every_position) {
  expect_two_threads([](auto s, auto b) { return schedule(s) | b; });
  expect_two_threads([](auto s, auto b) { return starts_on(s, just() | b); });
  expect_two_threads([](auto s, auto b) { return just() | continues_on(s) | b; });
  expect_two_threads([](auto s, auto b) { return on(s, just() | b); });
  expect_two_threads([](auto s, auto b) { return just() | on(s, b); });
  expect_two_threads(
      [](auto s, auto b) { return schedule(s) | let_value([b] { return just() | b; }); });
  expect_two_threads(
      [](auto s, auto b) { return schedule(s) | let_value([] { return just(); }) | b; });
  expect_two_threads([](auto s, auto b) { return when_all(schedule(s), schedule(s)) | b; });
  expect_two_threads([](auto s, auto b) { return schedule(s) | then([] {}) | b; });
  expect_two_threads([](auto s, auto b) {
    return schedule(s) | let_value([] { return just(); }) | let_value([b] { return just() | b; });
  });
  expect_two_threads([](auto s, auto b) {
    return when_all(schedule(s), schedule(s)) | let_value([b] { return just() | b; });
  });
}

TEST(Bulk, stays_on_a_loop_that_is_not_wefts) {
  runtime pool(with_workers(2));
  meeting all;
  pool.run([&] {
    sync_wait(read_env(get_scheduler) | let_value([&](auto& loop) {
                return schedule(loop) | bulk(16, [&](int i) { all(i); });
              }));
  });
  EXPECT_EQ(all.num_seen(), 1U);
}

}  // namespace schedulers_test
}  // namespace weft::execution
