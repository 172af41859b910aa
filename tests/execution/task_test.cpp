// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about tasks with an environment: where they run, how they end, and what they are told.
#include "weft/execution/task.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "weft/execution/affine.hpp"
#include "weft/execution/bulk.hpp"
#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/continues_on.hpp"
#include "weft/execution/inline_scheduler.hpp"
#include "weft/execution/just.hpp"
#include "weft/execution/lazy_task.hpp"  // IWYU pragma: keep
#include "weft/execution/queries.hpp"
#include "weft/execution/read_env.hpp"
#include "weft/execution/run_loop.hpp"
#include "weft/execution/runtime_scheduler.hpp"
#include "weft/execution/scheduler.hpp"
#include "weft/execution/sender.hpp"
#include "weft/execution/starts_on.hpp"
#include "weft/execution/stop_token.hpp"
#include "weft/execution/sync_wait.hpp"
#include "weft/execution/task_scheduler.hpp"
#include "weft/execution/then.hpp"
#include "weft/execution/write_env.hpp"
#include "weft/tasks/lazy_task.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_options.hpp"
#include "weft/tasks/this_task.hpp"

#include "execution/probe.hpp"

namespace weft::execution {
namespace task_test {

using this_thread::sync_wait;

runtime_options with_workers(int count) {
  runtime_options options;
  options.workers = count;
  return options;
}

template <class T = void>
using plain_task = task<T, env<>>;

template <class Sender>
auto value_of(Sender&& sender) {
  return std::get<0>(sync_wait(static_cast<Sender&&>(sender)).value());
}

TEST(Affine, affine_comes_back) {
  runtime pool(with_workers(1));
  const auto here = std::this_thread::get_id();
  const auto where = [] { return std::this_thread::get_id(); };

  const auto there = value_of(schedule(pool.get_scheduler()) | then(where));
  const auto back = value_of(schedule(pool.get_scheduler()) | affine() | then(where));

  EXPECT_NE(there, here);
  EXPECT_EQ(back, here);
}

TEST(Affine, costs_nothing_where_nothing_leaves) {
  using direct = decltype(just(1) | then([](int x) noexcept { return x; }) | affine());
  EXPECT_TRUE((std::is_same_v<completion_signatures_of_t<direct, env<>>,
                              completion_signatures<set_value_t(int)>>));
  test::expect_value(just(4) | affine(), 4);
}

TEST(Affine, a_stop_does_not_keep_it_from_coming_back) {
  runtime pool(with_workers(1));
  run_loop loop;
  inplace_stop_source stop;
  test::outcome result;
  auto operation = connect(just(3) | continues_on(pool.get_scheduler()) | then([&](int x) {
                             stop.request_stop();
                             return x;
                           }) | affine(),
                           test::probe(&result,
                                       env(prop(get_start_scheduler, loop.get_scheduler()),
                                           prop(get_stop_token, stop.get_token()))));

  operation.start();
  pool.wait_until_idle();
  loop.finish();
  loop.run();

  EXPECT_EQ(result.num_values, 1);
  EXPECT_EQ(result.value, 3);
}

/// Too large to be kept in place.
struct large_scheduler {
  using scheduler_concept = scheduler_tag;
  [[nodiscard]] auto schedule() const noexcept { return inner.schedule(); }
  [[nodiscard]] static forward_progress_guarantee query(
      get_forward_progress_guarantee_t /*key*/) noexcept {
    return forward_progress_guarantee::concurrent;
  }
  friend bool operator==(const large_scheduler&, const large_scheduler&) noexcept = default;
  runtime_scheduler inner;
  std::array<std::size_t, 5> more{};
};

TEST(TaskScheduler, any_scheduler_is_kept) {
  runtime pool(with_workers(1));
  const task_scheduler small(pool.get_scheduler());
  const task_scheduler large(large_scheduler{pool.get_scheduler()});
  task_scheduler copy = small;

  EXPECT_TRUE(scheduler<task_scheduler>);
  EXPECT_EQ(copy, small);
  EXPECT_NE(small, large);
  EXPECT_EQ(small, task_scheduler(pool.get_scheduler()));
  EXPECT_NE(small, task_scheduler(inline_scheduler()));
  copy = large;
  EXPECT_EQ(copy, large);
  EXPECT_EQ(get_forward_progress_guarantee(copy), forward_progress_guarantee::concurrent);
  const auto here = std::this_thread::get_id();
  for (const task_scheduler& each : {small, large}) {
    EXPECT_NE(value_of(schedule(each) | then([] { return std::this_thread::get_id(); })), here);
  }
  test::expect_value(schedule(task_scheduler(inline_scheduler())), 0);
}

TEST(TaskScheduler, stops_reach_what_is_queued) {
  run_loop loop;
  inplace_stop_source stop;
  test::outcome result;
  auto operation = connect(schedule(task_scheduler(loop.get_scheduler())),
                           test::probe(&result, prop(get_stop_token, stop.get_token())));
  operation.start();
  stop.request_stop();
  loop.finish();
  loop.run();

  EXPECT_EQ(result.num_stops, 1);
  EXPECT_EQ(result.num_completions(), 1);
}

TEST(TaskScheduler, bulk_is_shared_among_workers_only_on_wefts) {
  runtime pool(with_workers(2));
  std::atomic<int> num_here{0};
  // Two calls that wait for each other: both run at once, or the second never begins.
  const auto meet = [&](int /*index*/) {
    ++num_here;
    while (num_here < 2) {
      this_task::yield();
    }
  };
  sync_wait(schedule(task_scheduler(pool.get_scheduler())) | bulk(2, meet));
  EXPECT_EQ(num_here, 2);

  run_loop loop;
  std::vector<std::thread::id> callers;
  std::thread runs_loop([&] { pool.run([&] { loop.run(); }); });
  sync_wait(schedule(task_scheduler(loop.get_scheduler())) |
            bulk(100, [&](int) { callers.push_back(std::this_thread::get_id()); }));
  loop.finish();
  runs_loop.join();
  EXPECT_EQ(callers.size(), 100U);
  EXPECT_EQ(std::set(callers.begin(), callers.end()).size(), 1U);
}

plain_task<int> adds(int a, int b) {
  const int left = co_await just(a);
  const auto [right, more] = co_await just(b, 1);
  co_await just();
  co_return left + right + more;
}
plain_task<std::string&> refers(std::string& to) { co_return to; }

TEST(EnvironmentTask, sends_what_it_returns) {
  std::string there(40, 'x');
  EXPECT_EQ(value_of(adds(1, 2)), 4);
  test::outcome result;
  auto operation =
      connect(refers(there) | then([&](std::string& s) { return &s == &there ? 1 : 0; }),
              test::probe(&result, prop(get_start_scheduler, inline_scheduler())));
  operation.start();
  EXPECT_EQ(result.value, 1);
  EXPECT_TRUE((std::is_same_v<completion_signatures_of_t<plain_task<int>, env<>>,
                              completion_signatures<set_value_t(int),
                                                    set_error_t(std::exception_ptr),
                                                    set_stopped_t()>>));
}

TEST(EnvironmentTask, comes_back_to_where_it_was_started) {
  runtime pool(with_workers(2));
  const auto body = [](runtime_scheduler away) -> plain_task<bool> {
    const auto here = std::this_thread::get_id();
    const auto there = co_await (schedule(away) | then([] { return std::this_thread::get_id(); }));
    co_return there != here&& std::this_thread::get_id() == here;
  };

  EXPECT_TRUE(value_of(body(pool.get_scheduler())));
  run_loop loop;
  std::thread runs_loop([&] { loop.run(); });
  EXPECT_TRUE(value_of(starts_on(loop.get_scheduler(), body(pool.get_scheduler()))));
  loop.finish();
  runs_loop.join();
}

struct stays_where_it_is {
  using start_scheduler_type = inline_scheduler;
};

TEST(EnvironmentTask, with_the_inline_scheduler_it_goes_on_where_it_is) {
  runtime pool(with_workers(1));
  const auto body = [](runtime_scheduler away) -> task<std::thread::id, stays_where_it_is> {
    co_await schedule(away);
    co_return std::this_thread::get_id();
  };

  EXPECT_NE(value_of(body(pool.get_scheduler())), std::this_thread::get_id());
}

TEST(EnvironmentTask, errors_stops_and_locals) {
  int num_ended = 0;
  struct at_end {
    int& count;
    ~at_end() { ++count; }
  };
  const auto fails = [](int& count) -> plain_task<int> {
    const at_end local{count};
    co_await just_error(std::make_exception_ptr(std::out_of_range("far")));
    co_return 1;
  };
  const auto stops = [](int& count) -> plain_task<int> {
    const at_end local{count};
    co_await just_stopped();
    co_return 1;
  };

  EXPECT_THROW(sync_wait(fails(num_ended)), std::out_of_range);
  EXPECT_EQ(num_ended, 1);
  EXPECT_FALSE(sync_wait(stops(num_ended)).has_value());
  EXPECT_EQ(num_ended, 2);
}

struct fails_with_text {
  using error_types = completion_signatures<set_error_t(std::string), set_error_t(int)>;
};

TEST(EnvironmentTask, co_yield_sends_an_error) {
  const auto body = [](bool is_text) -> task<int, fails_with_text> {
    if (is_text) {
      co_yield with_error(std::string(40, 'w'));
    }
    co_yield with_error(7);
    co_return 1;
  };
  const auto length = [](const auto& e) {
    if constexpr (std::is_same_v<std::decay_t<decltype(e)>, int>) {
      return e;
    } else {
      return static_cast<int>(e.size());
    }
  };

  EXPECT_EQ(value_of(body(true) | upon_error(length)), 40);
  EXPECT_EQ(value_of(body(false) | upon_error(length)), 7);
}

struct get_depth_t : forwarding_query_t {
  template <class Env>
    requires detail::answers<Env, get_depth_t>
  int operator()(const Env& env) const noexcept {
    return env.query(*this);
  }
};

/// Takes the depth from whoever waits.
struct with_depth {
  template <class Outer>
  struct env_type {
    explicit env_type(const Outer& outer) noexcept : depth(get_depth_t()(outer)) {}
    int depth;
  };
  template <class Own>
  explicit with_depth(const Own& own) noexcept
    requires requires { own.depth; }
      : depth(own.depth) {}
  [[nodiscard]] int query(get_depth_t /*key*/) const noexcept { return depth + 1; }
  int depth;
};

task<int, with_depth> nested(int more) {
  const int mine = co_await read_env(get_depth_t());
  if (more == 0) {
    co_return mine;
  }
  co_return co_await nested(more - 1);
}

TEST(EnvironmentTask, its_environment_is_made_of_its_receivers) {
  EXPECT_EQ(value_of(nested(0) | write_env(prop(get_depth_t(), 10))), 11);
  EXPECT_EQ(value_of(nested(2) | write_env(prop(get_depth_t(), 10))), 13);
}

TEST(EnvironmentTask, a_stop_request_reaches_what_it_awaits) {
  const auto body = []() -> plain_task<bool> {
    const auto token = co_await read_env(get_stop_token);
    co_return token.stop_requested();
  };
  inplace_stop_source stop;
  stop.request_stop();

  EXPECT_FALSE(value_of(body()));
  EXPECT_TRUE(value_of(body() | write_env(prop(get_stop_token, stop.get_token()))));
}

/// Counts what was not given back.
template <class T>
struct counting_allocator {
  using value_type = T;
  explicit counting_allocator(int* count) noexcept : num_frames(count) {}
  template <class Other>
  counting_allocator(const counting_allocator<Other>& other) noexcept
      : num_frames(other.num_frames) {}
  T* allocate(std::size_t n) {
    ++*num_frames;
    return std::allocator<T>().allocate(n);
  }
  void deallocate(T* at, std::size_t n) noexcept {
    --*num_frames;
    std::allocator<T>().deallocate(at, n);
  }
  template <class Other>
  bool operator==(const counting_allocator<Other>& other) const noexcept {
    return num_frames == other.num_frames;
  }
  int* num_frames;
};

struct with_allocator {
  using allocator_type = counting_allocator<std::byte>;
};

task<int, with_allocator> counted(std::allocator_arg_t /*key*/,
                                  counting_allocator<std::byte> /*from*/,
                                  int value) {
  const auto mine = co_await read_env(get_allocator);
  co_return value + *mine.num_frames;
}

TEST(EnvironmentTask, its_frame_comes_from_its_allocator) {
  int num_frames = 0;
  const counting_allocator<std::byte> from(&num_frames);

  EXPECT_EQ(value_of(counted(std::allocator_arg, from, 4)), 5);
  EXPECT_EQ(num_frames, 0);
  static_cast<void>(counted(std::allocator_arg, from, 4));
  EXPECT_EQ(num_frames, 0);
}

weft::lazy_task<int> native(int x) { co_return x + 1; }

TEST(EnvironmentTask, tasks_of_both_kinds_await_each_other) {
  const auto outer = []() -> plain_task<int> {
    co_return co_await native(1) + co_await adds(1, 1);
  };
  const auto other = [](auto inner) -> weft::lazy_task<int> { co_return co_await inner(); };

  EXPECT_EQ(value_of(outer()), 5);
  EXPECT_EQ(weft::blocking_wait(other([] { return adds(2, 2); })), 5);
}

TEST(EnvironmentTask, loops_do_not_grow_the_stack) {
  const auto body = [](runtime_scheduler pool) -> plain_task<int> {
    int sum = 0;
    for (int i = 0; i < 100'000; ++i) {
      sum += co_await just(1);
    }
    for (int i = 0; i < 1'000; ++i) {
      co_await schedule(pool);
    }
    co_return sum;
  };
  runtime pool(with_workers(1));

  EXPECT_EQ(value_of(body(pool.get_scheduler())), 100'000);
  EXPECT_EQ(value_of(starts_on(pool.get_scheduler(), body(pool.get_scheduler()))), 100'000);
}

}  // namespace task_test
}  // namespace weft::execution
