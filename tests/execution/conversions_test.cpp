// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Futures, tasks, senders and awaitables: every kind becomes every other, and what that allocates.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/execution.hpp"
#include "weft/tasks/async.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/future_error.hpp"
#include "weft/tasks/lazy_task.hpp"
#include "weft/tasks/promise.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_options.hpp"
#include "weft/tasks/shared_future.hpp"
#include "weft/tasks/this_task.hpp"
#include "weft/tasks/when_all.hpp"

#include "tests/support/allocations.hpp"

namespace weft::execution {
namespace conversions_test {

/// A coroutine type of somebody's own that may await senders; it is eager and says how it ended.
struct plain_coroutine {
  struct promise_type : with_awaitable_senders<promise_type> {
    plain_coroutine get_return_object() noexcept {
      return plain_coroutine{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    static std::suspend_never initial_suspend() noexcept { return {}; }
    struct at_end {
      static bool await_ready() noexcept { return false; }
      static void await_suspend(std::coroutine_handle<promise_type> me) noexcept {
        me.promise().is_over.store(true, std::memory_order_release);
      }
      static void await_resume() noexcept {}
    };
    static at_end final_suspend() noexcept { return {}; }
    void return_value(int x) noexcept { value = x; }
    void unhandled_exception() noexcept { error = std::current_exception(); }
    // NOLINTNEXTLINE(bugprone-derived-method-shadowing-base-method): what the base would ask
    std::coroutine_handle<> unhandled_stopped() noexcept {
      is_stopped = true;
      return std::noop_coroutine();
    }
    std::atomic<bool> is_over{false};  // for other threads: `done()` is not
    int value = -1;
    std::exception_ptr error;
    bool is_stopped = false;
  };
  explicit plain_coroutine(std::coroutine_handle<promise_type> h) noexcept : coroutine(h) {}
  plain_coroutine(const plain_coroutine&) = delete;
  plain_coroutine& operator=(const plain_coroutine&) = delete;
  ~plain_coroutine() { coroutine.destroy(); }
  std::coroutine_handle<promise_type> coroutine;
};

plain_coroutine add_up() {
  const int one = co_await just(1);
  const auto [two, three] = co_await just(2, 3);
  co_await just();
  co_return one + two + three;
}

plain_coroutine awaits_error() {
  auto sender = just_error(std::runtime_error("torn"));
  co_await std::move(sender);
  co_return 1;
}

plain_coroutine awaits_stop() {
  co_await just_stopped();
  co_return 1;
}

plain_coroutine loops(int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += co_await just(1);
  }
  co_return sum;
}

TEST(Awaiting, a_sender_is_awaited) {
  const auto sum = add_up();
  EXPECT_EQ(sum.coroutine.promise().value, 6);
  const auto failed = awaits_error();
  EXPECT_THROW(std::rethrow_exception(failed.coroutine.promise().error), std::runtime_error);
  const auto stopped = awaits_stop();
  EXPECT_TRUE(stopped.coroutine.promise().is_stopped);
  EXPECT_EQ(stopped.coroutine.promise().value, -1);
}

TEST(Awaiting, a_loop_of_a_million_takes_no_stack) {
  constexpr int n = 1000000;
  const auto sum = loops(n);
  EXPECT_EQ(sum.coroutine.promise().value, n);
}

/// Completes on a thread of its own, before `start` returns.
struct completes_elsewhere {
  using sender_concept = sender_tag;
  using completion_signatures = execution::completion_signatures<set_value_t()>;
  template <class Receiver>
  struct operation {
    void start() noexcept {
      std::atomic<bool> completes{false};
      other = std::jthread([this, &completes] {
        completes.store(true, std::memory_order_release);
        set_value(std::move(receiver));
      });
      while (!completes.load(std::memory_order_acquire)) {
        std::this_thread::yield();
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    Receiver receiver;
    std::jthread& other;
  };
  template <class Receiver>
  auto connect(Receiver receiver) const {
    return operation<Receiver>{std::move(receiver), *other};
  }
  std::jthread* other;
};

plain_coroutine resumes_elsewhere(std::jthread& other, std::thread::id& resumed_by) {
  co_await completes_elsewhere(&other);
  resumed_by = std::this_thread::get_id();
  co_return 1;
}

TEST(Awaiting, the_completing_thread_resumes_even_before_start_returns) {
  std::jthread other;
  std::thread::id resumed_by;
  const auto awaits = resumes_elsewhere(other, resumed_by);
  const std::thread::id completed_by = other.get_id();
  other.join();

  EXPECT_EQ(awaits.coroutine.promise().value, 1);
  EXPECT_EQ(resumed_by, completed_by);
}

/// An awaitable that is nothing else.
struct number {
  static bool await_ready() noexcept { return false; }
  static bool await_suspend(std::coroutine_handle<> /*waiting*/) noexcept { return false; }
  [[nodiscard]] int await_resume() const noexcept { return value; }
  int value;
};
struct failing {
  static bool await_ready() noexcept { return true; }
  static void await_suspend(std::coroutine_handle<> /*waiting*/) noexcept {}
  [[noreturn]] static int await_resume() { throw std::runtime_error("awaited"); }
};

TEST(Awaitables, are_senders) {
  EXPECT_TRUE((sender_in<number, env<>>));
  EXPECT_EQ(std::get<0>(sync_wait(number{7} | then([](int x) { return x + 1; })).value()), 8);
  EXPECT_THROW(sync_wait(failing()), std::runtime_error);
}

weft::lazy_task<int> task_of(int x) { co_return x; }

// The sixteen pairs: from each kind to each other.

weft::lazy_task<int> awaits_number(int x) { co_return co_await number{x}; }
weft::lazy_task<int> awaits_future(future<int> f) { co_return co_await std::move(f); }
weft::lazy_task<int> awaits_task(int x) { co_return co_await task_of(x); }
weft::lazy_task<int> awaits_sender(int x) { co_return co_await just(x); }

TEST(Matrix, future_from_each) {
  EXPECT_EQ(as_future(async([] { return 1; })).get(), 1);
  EXPECT_EQ(as_future(just(2)).get(), 2);
  EXPECT_EQ(as_future(number{3}).get(), 3);
  EXPECT_EQ(as_future(task_of(4)).get(), 4);
}

TEST(Matrix, sender_from_each) {
  const auto twice = then([](int x) { return 2 * x; });
  EXPECT_EQ(std::get<0>(sync_wait(async([] { return 1; }) | twice).value()), 2);
  EXPECT_EQ(std::get<0>(sync_wait(just(2) | twice).value()), 4);
  EXPECT_EQ(std::get<0>(sync_wait(number{3} | twice).value()), 6);
  EXPECT_EQ(std::get<0>(sync_wait(task_of(4) | twice).value()), 8);
}

TEST(Matrix, task_from_each) {
  EXPECT_EQ(weft::blocking_wait(awaits_future(async([] { return 1; }))), 1);
  EXPECT_EQ(weft::blocking_wait(awaits_sender(2)), 2);
  EXPECT_EQ(weft::blocking_wait(awaits_number(3)), 3);
  EXPECT_EQ(weft::blocking_wait(awaits_task(4)), 4);
}

plain_coroutine awaits_all() {
  int sum = co_await async([] { return 1; });
  sum += co_await just(2);
  sum += co_await number{3};
  sum += co_await task_of(4);
  co_return sum;
}

/// What the coroutine of somebody's own returns, which ends on whatever worker.
int value_once_over(const plain_coroutine& of) {
  while (!of.coroutine.promise().is_over.load(std::memory_order_acquire)) {
    this_task::yield();
  }
  return of.coroutine.promise().value;
}

TEST(Matrix, awaitable_from_each) {
  runtime pool;
  EXPECT_EQ(pool.run([] { return value_once_over(awaits_all()); }), 10);
}

/// A runtime whose only worker has what it needs at hand.
runtime_options one_worker() {
  runtime_options options;
  options.workers = 1;
  return options;
}

template <class Sender>
int value_of(Sender&& sender) {
  return std::get<0>(sync_wait(std::forward<Sender>(sender)).value());
}

plain_coroutine awaits_one(int kind) {
  if (kind == 0) {
    co_return co_await async([] { return 1; });
  }
  if (kind == 1) {
    co_return co_await just(1);
  }
  if (kind == 2) {
    co_return co_await number{1};
  }
  co_return co_await task_of(1);
}

TEST(Matrix, nothing_is_allocated_on_a_worker_for_a_conversion) {
  if (!test::counts_allocations) {
    GTEST_SKIP() << "a sanitizer has its own operator new";
  }
  runtime pool(one_worker());
  const auto on_a_worker = [&pool](auto convert) {
    return pool.run(
        [&convert] { return test::fewest_allocations([&convert] { EXPECT_EQ(convert(), 1); }); });
  };
  const auto one = [] { return 1; };

  EXPECT_EQ(on_a_worker([&] { return as_future(async(one)).get(); }), 0U);
  EXPECT_EQ(on_a_worker([] { return as_future(just(1)).get(); }), 0U);
  EXPECT_EQ(on_a_worker([] { return as_future(number{1}).get(); }), 0U);
  EXPECT_EQ(on_a_worker([] { return as_future(task_of(1)).get(); }), 0U);
  EXPECT_EQ(on_a_worker([&] { return value_of(async(one)); }), 0U);
  EXPECT_EQ(on_a_worker([] { return value_of(just(1)); }), 0U);
  EXPECT_EQ(on_a_worker([] { return value_of(number{1}); }), 0U);
  EXPECT_EQ(on_a_worker([] { return value_of(task_of(1)); }), 0U);
  EXPECT_EQ(on_a_worker([&] { return weft::blocking_wait(awaits_future(async(one))); }), 0U);
  EXPECT_EQ(on_a_worker([] { return weft::blocking_wait(awaits_sender(1)); }), 0U);
  EXPECT_EQ(on_a_worker([] { return weft::blocking_wait(awaits_number(1)); }), 0U);
  EXPECT_EQ(on_a_worker([] { return weft::blocking_wait(awaits_task(1)); }), 0U);
  for (const int kind : {0, 1, 2, 3}) {
    constexpr std::size_t own_frame = 1;
    EXPECT_EQ(on_a_worker([kind] { return value_once_over(awaits_one(kind)); }), own_frame) << kind;
  }
}

/// Of joining futures that are not ready, and of keeping their promises.
std::size_t allocations_of_joining(std::size_t count) {
  std::vector<promise<int>> promises(count);
  std::vector<future<int>> futures;
  futures.reserve(count);
  for (promise<int>& each : promises) {
    futures.push_back(each.get_future());
  }
  const std::size_t before = test::num_allocations;
  auto joined = weft::when_all_ready(std::move(futures));
  for (promise<int>& each : promises) {
    each.set_value(1);
  }
  EXPECT_EQ(joined.get().size(), count);
  return test::num_allocations - before;
}

TEST(Allocations, scheduling_and_erasing_need_none_and_a_range_needs_one) {
  if (!test::counts_allocations) {
    GTEST_SKIP() << "a sanitizer has its own operator new";
  }
  runtime pool(one_worker());
  const auto there = pool.get_scheduler();
  const auto schedules = [there] { value_of(schedule(there) | then([] { return 1; })); };
  constexpr std::size_t count = 1000;

  EXPECT_EQ(test::fewest_allocations(schedules), 0U);
  pool.run([&] {
    EXPECT_EQ(test::fewest_allocations(schedules), 0U);
    EXPECT_EQ(test::fewest_allocations([&] { value_of(any_sender<int>(just(1))); }), 0U);
    EXPECT_EQ(test::fewest_allocations([&] { sync_wait(schedule(there) | bulk(9, [](int) {})); }),
              0U);
    EXPECT_EQ(test::fewest_allocations([&] {
                start_detached(schedule(there));
                this_task::yield();  // it runs, and gives its block back
              }),
              0U);

    std::vector<decltype(schedule(there))> all(count, schedule(there));
    auto joint = when_all(std::move(all));
    EXPECT_EQ(test::fewest_allocations([&] { sync_wait(joint); }), 2U);  // one for a copy of them
    const std::size_t first = allocations_of_joining(count);
    EXPECT_EQ(std::min(first, allocations_of_joining(count)), 1U);
  });
}

TEST(Futures, errors_and_stops_cross_over) {
  auto fails = async([]() -> int { throw std::runtime_error("x"); });
  EXPECT_THROW(sync_wait(std::move(fails)), std::runtime_error);
  EXPECT_THROW(as_future(just_error(3)).get(), int);
  const std::error_code late = std::make_error_code(std::errc::timed_out);
  EXPECT_THROW(as_future(just_error(late)).get(), std::system_error);
  EXPECT_THROW(as_future(just_stopped()).get(), future_error);
  EXPECT_THROW(sync_wait(future<int>()), future_error);
}

TEST(Futures, shared_futures_are_sent_by_reference_as_often_as_wanted) {
  const shared_future<std::string> shared = async([] { return std::string("both"); }).share();
  const auto sender = as_sender(shared);
  const auto size = then([](const std::string& s) { return s.size(); });
  EXPECT_EQ(std::get<0>(sync_wait(sender | size).value()), 4U);
  EXPECT_EQ(std::get<0>(sync_wait(sender | size).value()), 4U);
}

TEST(Futures, as_future_starts_at_once_and_may_be_dropped) {
  bool has_run = false;
  {
    const auto dropped = as_future(just() | then([&] { has_run = true; }));
  }
  EXPECT_TRUE(has_run);
}

}  // namespace conversions_test
}  // namespace weft::execution
