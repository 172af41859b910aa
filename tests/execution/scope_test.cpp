// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scopes, and the work that is started in them.
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <gtest/gtest.h>

#include "weft/execution/associate.hpp"
#include "weft/execution/counting_scope.hpp"
#include "weft/execution/just.hpp"
#include "weft/execution/let.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/run_loop.hpp"
#include "weft/execution/scheduler.hpp"
#include "weft/execution/sender.hpp"
#include "weft/execution/spawn.hpp"
#include "weft/execution/spawn_future.hpp"
#include "weft/execution/stop_token.hpp"
#include "weft/execution/sync_wait.hpp"
#include "weft/execution/then.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_options.hpp"

#include "execution/probe.hpp"

namespace weft::execution {
namespace scope_test {

runtime_options two_workers() {
  runtime_options options;
  options.workers = 2;
  return options;
}

TEST(CountingScope, concepts_hold) {
  EXPECT_TRUE(scope_token<simple_counting_scope::token>);
  EXPECT_TRUE(scope_token<counting_scope::token>);
}

TEST(CountingScope, join_waits_for_all_work) {
  runtime pool(two_workers());
  simple_counting_scope scope;
  std::atomic<int> count = 0;
  constexpr int num_tasks = 200;
  for (int i = 0; i < num_tasks; ++i) {
    spawn(schedule(pool.get_scheduler()) | then([&]() noexcept { ++count; }), scope.get_token());
  }
  sync_wait(scope.join());

  EXPECT_EQ(count, num_tasks);
}

TEST(CountingScope, a_closed_scope_lets_nobody_in) {
  simple_counting_scope scope;
  scope.close();
  bool has_run = false;
  spawn(just() | then([&]() noexcept { has_run = true; }), scope.get_token());
  test::expect_stopped(just(1) | associate(scope.get_token()));

  EXPECT_FALSE(has_run);
  sync_wait(scope.join());
}

TEST(CountingScope, associated_senders_count_until_they_are_dropped) {
  run_loop loop;
  simple_counting_scope scope;
  auto sender = std::make_optional(just(3) | associate(scope.get_token()));
  auto copy = sender;
  test::outcome result;
  auto joining =
      connect(scope.join(), test::probe(&result, prop(get_start_scheduler, loop.get_scheduler())));
  joining.start();
  EXPECT_EQ(result.num_completions(), 0);

  sender.reset();
  EXPECT_EQ(result.num_completions(), 0);
  test::expect_value(*std::move(copy), 3);
  copy.reset();
  loop.finish();
  loop.run();

  EXPECT_EQ(result.num_values, 1);
}

TEST(CountingScopeDeathTest, one_that_was_not_joined_ends_the_process) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        std::set_terminate([] {
          std::fputs("a scope was not joined\n", stderr);
          std::abort();
        });
        run_loop loop;
        simple_counting_scope scope;
        spawn(schedule(loop.get_scheduler()), scope.get_token());
        loop.finish();
        loop.run();
      },
      "a scope was not joined");
}

TEST(CountingScope, request_stop_reaches_all_work) {
  counting_scope scope;
  run_loop loop;
  bool was_stopped = false;
  spawn(schedule(loop.get_scheduler()) | then([]() noexcept {}) | let_stopped([&]() noexcept {
          was_stopped = true;
          return just_stopped();
        }) | upon_error([](auto&&) noexcept {}),
        scope.get_token());
  scope.request_stop();
  loop.finish();
  loop.run();
  sync_wait(scope.join());

  EXPECT_TRUE(was_stopped);
}

TEST(SpawnFuture, spawn_future_sends_the_result) {
  runtime pool(two_workers());
  counting_scope scope;
  auto started =
      spawn_future(schedule(pool.get_scheduler()) | then([] { return 42; }), scope.get_token());
  EXPECT_EQ(std::get<0>(sync_wait(std::move(started)).value()), 42);
  auto fails =
      spawn_future(schedule(pool.get_scheduler()) | then([] { throw std::runtime_error("x"); }),
                   scope.get_token());
  EXPECT_THROW(sync_wait(std::move(fails)), std::runtime_error);
  {
    const auto dropped = spawn_future(schedule(pool.get_scheduler()), scope.get_token());
  }
  sync_wait(scope.join());
  EXPECT_FALSE(sync_wait(spawn_future(just(), scope.get_token())).has_value());
}

TEST(SpawnFuture, work_and_consumer_race) {
  runtime pool(two_workers());
  constexpr int rounds = 300;
  int sum = 0;
  for (int i = 0; i < rounds; ++i) {
    sum += std::get<0>(
        sync_wait(ensure_started(schedule(pool.get_scheduler()) | then([] { return 1; }))).value());
    const auto dropped = ensure_started(schedule(pool.get_scheduler()) | then([] { return 1; }));
  }
  EXPECT_EQ(sum, rounds);
}

template <class T>
struct counting_allocator {
  using value_type = T;
  explicit counting_allocator(int* balance) noexcept : num_blocks(balance) {}
  template <class U>
  counting_allocator(const counting_allocator<U>& other) noexcept : num_blocks(other.num_blocks) {}
  T* allocate(std::size_t n) {
    ++*num_blocks;
    return std::allocator<T>().allocate(n);
  }
  void deallocate(T* there, std::size_t n) noexcept {
    --*num_blocks;
    std::allocator<T>().deallocate(there, n);
  }
  friend bool operator==(const counting_allocator&, const counting_allocator&) = default;
  int* num_blocks;
};

TEST(Spawn, memory_comes_from_the_environments_allocator) {
  simple_counting_scope scope;
  run_loop loop;
  int num_blocks = 0;
  spawn(schedule(loop.get_scheduler()),
        scope.get_token(),
        prop(get_allocator, counting_allocator<int>(&num_blocks)));
  EXPECT_EQ(num_blocks, 1);
  loop.finish();
  loop.run();
  sync_wait(scope.join());

  EXPECT_EQ(num_blocks, 0);
}

/// A token that fails to let anybody in.
struct failing_token {
  template <class Sender>
  static std::decay_t<Sender> wrap(Sender&& sender) {
    return std::forward<Sender>(sender);
  }
  [[nodiscard]] static detail::no_association try_associate() { test::fail_with("no association"); }
};

TEST(Spawn, a_token_that_throws_leaves_no_memory_behind) {
  int num_blocks = 0;
  const auto memory = prop(get_allocator, counting_allocator<int>(&num_blocks));
  EXPECT_THROW(spawn(just(), failing_token(), memory), std::runtime_error);
  EXPECT_THROW(static_cast<void>(spawn_future(just(), failing_token(), memory)),
               std::runtime_error);
  EXPECT_EQ(num_blocks, 0);
}

TEST(SpawnFuture, the_given_stop_token_reaches_the_work) {
  run_loop loop;
  counting_scope scope;
  inplace_stop_source source;
  const auto given = prop(get_stop_token, source.get_token());
  auto in_scope = spawn_future(schedule(loop.get_scheduler()), scope.get_token(), given);
  auto alone = ensure_started(schedule(loop.get_scheduler()), given);
  source.request_stop();
  auto late = ensure_started(schedule(loop.get_scheduler()), given);
  loop.finish();
  loop.run();

  test::expect_stopped(std::move(in_scope));
  test::expect_stopped(std::move(alone));
  test::expect_stopped(std::move(late));
  sync_wait(scope.join());
}

TEST(SpawnFuture, dropped_work_is_asked_to_stop) {
  run_loop loop;
  counting_scope scope;
  bool was_stopped = false;
  {
    const auto dropped = spawn_future(
        schedule(loop.get_scheduler()) | upon_stopped([&]() noexcept { was_stopped = true; }),
        scope.get_token());
  }
  EXPECT_FALSE(was_stopped);
  loop.finish();
  loop.run();
  sync_wait(scope.join());

  EXPECT_TRUE(was_stopped);
}

TEST(StartDetached, runs_to_its_end) {
  bool has_run = false;
  start_detached(just() | then([&] { has_run = true; }));
  EXPECT_TRUE(has_run);
}

}  // namespace scope_test
}  // namespace weft::execution
