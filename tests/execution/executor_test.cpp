// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about what executors mean.
#include "weft/execution/executor.hpp"

#include <atomic>
#include <cstddef>
#include <functional>
#include <list>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/algorithms/for_each.hpp"
#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/execution/annotating_executor.hpp"
#include "weft/execution/async.hpp"
#include "weft/execution/parallel_executor.hpp"
#include "weft/execution/runtime_scheduler.hpp"  // IWYU pragma: keep: get_scheduler gives one
#include "weft/execution/scheduler_executor.hpp"
#include "weft/execution/sequenced_executor.hpp"
#include "weft/tasks/async.hpp"
#include "weft/tasks/event.hpp"
#include "weft/tasks/futures.hpp"
#include "weft/tasks/launch.hpp"
#include "weft/tasks/runtime.hpp"

#include "tasks/with_workers.hpp"

namespace executor_test {

using testing::ElementsAre;
using testing::ThrowsMessage;
using weft::execution::annotating_executor;
using weft::execution::async_execute;
using weft::execution::bulk_async_execute;
using weft::execution::bulk_sync_execute;
using weft::execution::bulk_then_execute;
using weft::execution::parallel_executor;
using weft::execution::sequenced_executor;
using weft::execution::sync_execute;
using weft::execution::then_execute;
using weft::test::with_workers;

/// The least that an executor can be: threads, which it counts.
struct thread_executor {
  std::atomic<int>* num_started;

  [[nodiscard]] static std::size_t num_workers() { return 2; }
  template <class F>
  void execute(F&& f) const {
    ++*num_started;
    std::thread(std::forward<F>(f)).detach();
  }
};

TEST(Executor, two_members_make_an_executor) {
  std::atomic<int> num_started{0};
  const thread_executor where{&num_started};

  EXPECT_EQ(weft::async(where, std::plus<>(), 2, 3).get(), 5);
  EXPECT_EQ(weft::sync(where, [] { return std::this_thread::get_id() != std::thread::id(); }),
            true);
  EXPECT_THAT(bulk_sync_execute(where, [](int i) { return i * i; }, 4), ElementsAre(0, 1, 4, 9));
  EXPECT_EQ(num_started, 6);
  EXPECT_THROW(weft::async(where, [] { throw std::out_of_range("far"); }).get(), std::out_of_range);
}

TEST(Executor, a_continuation_runs_on_the_executor_it_is_given) {
  std::atomic<int> num_started{0};
  const thread_executor where{&num_started};

  auto sum = weft::async([] { return 20; }).then(where, [](weft::future<int> f) {
    return weft::make_ready_future(f.get() + 1);
  });
  const weft::shared_future<int> shared = std::move(sum).share();

  EXPECT_EQ(shared.then(where, [](const weft::shared_future<int>& f) { return 2 * f.get(); }).get(),
            42);
  EXPECT_EQ(num_started, 2);
}

TEST(Executor, a_dataflow_runs_on_the_executor_it_is_given) {
  std::atomic<int> num_started{0};

  auto sum = weft::dataflow(
      thread_executor{&num_started},
      [](weft::future<int> a, weft::future<int> b, int c) { return a.get() + b.get() + c; },
      weft::async([] { return 1; }),
      weft::make_ready_future(2),
      3);

  EXPECT_EQ(sum.get(), 6);
  EXPECT_EQ(num_started, 1);
}

TEST(Executor, shapes_are_numbers_or_ranges_of_arguments) {
  const parallel_executor where;
  const std::list<std::string> names{"a", "b", "c"};
  const auto twice = [](const std::string& name, int times) {
    return name + std::to_string(times);
  };

  EXPECT_THAT(bulk_sync_execute(where, twice, names, 2), ElementsAre("a2", "b2", "c2"));
  EXPECT_THAT(bulk_sync_execute(where, [](int i) { return i; }, -1), testing::IsEmpty());
  auto each = bulk_async_execute(where, twice, names, 3);
  ASSERT_EQ(each.size(), 3u);
  EXPECT_EQ(each[2].get(), "c3");
}

TEST(Executor, bulk_calls_follow_a_future) {
  const parallel_executor where;

  auto all = bulk_then_execute(
      where,
      [](std::size_t i, const weft::shared_future<int>& ready, int more) {
        return static_cast<int>(i) + ready.get() + more;
      },
      3,
      weft::async([] { return 10; }),
      100);

  EXPECT_THAT(all.get(), ElementsAre(110, 111, 112));
}

TEST(Executor, the_exception_of_the_least_index_arrives) {
  std::atomic<int> num_started{0};
  const auto fails = [](int i) {
    if (i % 2 == 1) {
      throw std::runtime_error(std::to_string(i));
    }
  };

  EXPECT_THAT([&] { bulk_sync_execute(thread_executor{&num_started}, fails, 6); },
              ThrowsMessage<std::runtime_error>(testing::StrEq("1")));
  EXPECT_EQ(num_started, 6);
  EXPECT_THROW(bulk_sync_execute(parallel_executor(), fails, 6), std::runtime_error);
}

TEST(Executor, sequenced_runs_in_order_in_the_caller) {
  const sequenced_executor where;
  std::vector<int> order;
  const auto here = std::this_thread::get_id();

  bulk_sync_execute(
      where,
      [&](int i) {
        EXPECT_EQ(std::this_thread::get_id(), here);
        order.push_back(i);
      },
      4);
  auto fourth = async_execute(where, [&] { order.push_back(4); });
  weft::for_each(weft::par.on(where), order.begin(), order.end(), [](int& each) { each *= 10; });

  EXPECT_TRUE(fourth.is_ready());
  EXPECT_THAT(order, ElementsAre(0, 10, 20, 30, 40));
}

TEST(Executor, sequenced_defers_a_call_that_would_wait_for_an_argument) {
  const sequenced_executor where;
  weft::promise<int> given;
  const weft::shared_future<int> later = given.get_future();
  const auto plus = [](const weft::shared_future<int>& a, int b) { return a.get() + b; };

  auto first = weft::async(where, plus, later, 1);
  auto each = bulk_async_execute(
      where, [&](int i, const weft::shared_future<int>& a) { return plus(a, i); }, 3, later);
  EXPECT_FALSE(first.is_ready());
  given.set_value(41);

  EXPECT_EQ(first.get(), 42);
  EXPECT_EQ(each[2].get(), 43);
  EXPECT_TRUE(weft::async(where, plus, later, 1).is_ready());
}

TEST(Executor, parallel_runs_on_workers) {
  weft::runtime home(with_workers(2));
  const parallel_executor where(home);
  const auto outside = std::this_thread::get_id();

  EXPECT_EQ(where.num_workers(), 2u);
  EXPECT_NE(sync_execute(where, [] { return std::this_thread::get_id(); }), outside);
  EXPECT_NE(async_execute(where, [] { return std::this_thread::get_id(); }).get(), outside);
  const auto threads =
      bulk_sync_execute(where, [](int) { return std::this_thread::get_id(); }, 100);
  EXPECT_THAT(threads, testing::Each(testing::Ne(outside)));
  const auto followed = then_execute(
      where,
      [](weft::future<void> f) {
        f.get();
        return std::this_thread::get_id();
      },
      weft::make_ready_future());
  EXPECT_NE(const_cast<weft::future<std::thread::id>&>(followed).get(), outside);
}

TEST(Executor, a_priority_is_for_tasks_of_the_executor) {
  weft::runtime home(with_workers(1));
  std::string order;
  home.run([&] {
    const parallel_executor high = parallel_executor().with_priority(weft::task_priority::high);
    const parallel_executor low = parallel_executor(home).with_priority(weft::task_priority::low);
    weft::event is_over;
    weft::execution::post(low, [&] {
      order += "low";
      is_over.set();
    });
    const auto normal = async_execute(parallel_executor(), [&] { order += "normal "; });
    const auto first = async_execute(high, [&] { order += "high "; });
    is_over.wait();
  });

  EXPECT_EQ(order, "high normal low");
}

TEST(Executor, algorithms_take_it_and_give_its_futures) {
  weft::runtime home(with_workers(2));
  std::vector<int> values(100'000, 1);
  const auto add = [](int& value) { value += 1; };

  weft::for_each(weft::par.on(parallel_executor(home)), values.begin(), values.end(), add);
  weft::for_each(
      weft::par(weft::as_future).on(parallel_executor(home)), values.begin(), values.end(), add)
      .get();
  weft::for_each(weft::par.on(annotating_executor(parallel_executor(home), "adding")),
                 values.begin(),
                 values.end(),
                 add);

  EXPECT_THAT(values, testing::Each(4));
}

TEST(Executor, annotating_passes_everything_on) {
  std::atomic<int> num_started{0};
  const annotating_executor where(thread_executor{&num_started}, "name");

  EXPECT_EQ(where.annotation(), "name");
  EXPECT_EQ(weft::async(where, std::plus<>(), 2, 3).get(), 5);
  EXPECT_EQ(weft::make_ready_future(4).then(where, [](auto f) { return f.get() + 1; }).get(), 5);
  EXPECT_THAT(bulk_sync_execute(where, [](int i) { return i; }, 2), ElementsAre(0, 1));
  EXPECT_EQ(num_started, 4);
}

TEST(Executor, schedulers_are_executors) {
  weft::runtime home(with_workers(2));
  const weft::execution::scheduler_executor where(home.get_scheduler());
  const auto outside = std::this_thread::get_id();

  EXPECT_NE(weft::async(where, [] { return std::this_thread::get_id(); }).get(), outside);
  EXPECT_THAT(bulk_sync_execute(where, [](int i) { return 2 * i; }, 3), ElementsAre(0, 2, 4));
  EXPECT_THROW(weft::async(where, [] { throw std::out_of_range("far"); }).get(), std::out_of_range);
  std::atomic<int> num_run{0};
  weft::post(where, [&](int more) { num_run += more; }, 3);
  home.wait_until_idle();
  EXPECT_EQ(num_run, 3);
  std::vector<int> values(10'000, 1);
  weft::for_each(weft::par.on(where), values.begin(), values.end(), [](int& v) { ++v; });
  EXPECT_THAT(values, testing::Each(2));
}

}  // namespace executor_test
