// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code as it is written for HPX means the same here.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hpx/experimental/run_on_all.hpp>
#include <hpx/experimental/task_group.hpp>
#include <hpx/hpx.hpp>
#include <hpx/modules/iterator_support.hpp>
#include <hpx/modules/lcos_local.hpp>
#include <hpx/modules/string_util.hpp>

#include "weft/base/error.hpp"
#include "weft/tasks/channel.hpp"
#include "weft/tasks/future_error.hpp"
#include "weft/tasks/launch.hpp"
#include "weft/tasks/stop_token.hpp"

namespace hpx_names_test {

using testing::ElementsAre;

TEST(HpxNames, futures_and_what_joins_them) {
  std::vector<hpx::future<int>> all;
  all.reserve(4);
  for (int i = 0; i < 4; ++i) {
    all.push_back(hpx::async([i] { return i; }));
  }
  hpx::wait_all(all);
  auto sum = hpx::when_all(all).then([](auto&& f) {
    auto ready = f.get();
    return std::accumulate(
        ready.begin(), ready.end(), 0, [](int so_far, auto& each) { return so_far + each.get(); });
  });

  EXPECT_EQ(sum.get(), 6);
  EXPECT_EQ(hpx::dataflow(hpx::unwrapping([](int a, int b) { return a * b; }),
                          hpx::make_ready_future<int>(6),
                          hpx::async(hpx::launch::deferred, [] { return 7; }))
                .get(),
            42);
  EXPECT_EQ(hpx::sync([](int a) { return a + 1; }, 1), 2);
  const int lvalue = 3;
  EXPECT_EQ(hpx::make_ready_future(lvalue).get(), 3);
  EXPECT_EQ(hpx::unwrap(hpx::make_ready_future(5)), 5);
  EXPECT_TRUE(hpx::make_ready_future<void>().is_ready());
}

TEST(HpxNames, wait_all_throws_what_a_future_keeps) {
  std::vector<hpx::future<int>> all;
  all.push_back(hpx::make_ready_future(1));
  all.push_back(hpx::make_exceptional_future<int>(std::runtime_error("kept")));

  hpx::wait_all_nothrow(all);
  EXPECT_THROW(hpx::wait_all(all), std::runtime_error);
  EXPECT_THROW(hpx::wait_all(all), std::runtime_error);
  EXPECT_THROW(all[1].get(), std::runtime_error);
  EXPECT_EQ(all[0].get(), 1);
}

TEST(HpxNames, wait_any_leaves_the_futures_where_they_are) {
  hpx::promise<int> late;
  std::vector<hpx::future<int>> all;
  all.push_back(late.get_future());
  all.push_back(hpx::make_ready_future_after(std::chrono::milliseconds(1), 2));

  hpx::wait_any(all);
  EXPECT_FALSE(all[0].is_ready());
  EXPECT_EQ(all[1].get(), 2);
  late.set_value(1);
  EXPECT_EQ(all[0].get(), 1);
}

TEST(HpxNames, wait_some_leaves_the_futures_where_they_are_when_it_refuses) {
  std::vector<hpx::future<int>> all;
  all.push_back(hpx::make_ready_future(1));
  all.push_back(hpx::make_ready_future(2));

  EXPECT_THROW(hpx::wait_some(3, all), weft::error);
  all.emplace_back();
  EXPECT_THROW(hpx::wait_some(1, all), weft::future_error);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].get() + all[1].get(), 3);
}

hpx::future<int> doubled(int value) {
  auto source = hpx::async([value] { return value; });
  co_return 2 * co_await std::move(source);
}

TEST(HpxNames, functions_that_return_futures_may_be_coroutines) {
  EXPECT_EQ(doubled(21).get(), 42);
}

TEST(HpxNames, channels_are_shared_and_give_futures) {
  hpx::lcos::local::channel<int> jobs;
  hpx::lcos::local::channel<> done;
  auto first = jobs.get();
  hpx::post([jobs, done] {
    int sum = 0;
    for (const int each : jobs) {
      sum += each;
    }
    EXPECT_EQ(sum, 5);
    done.set();
  });
  EXPECT_FALSE(first.is_ready());
  jobs.set(1);
  EXPECT_EQ(first.get(), 1);
  const hpx::lcos::local::send_channel<int> in(jobs);
  in.set(2);
  in.set(3);
  jobs.close();
  done.get(hpx::launch::sync);

  hpx::error_code failure(hpx::throwmode::lightweight);
  EXPECT_EQ(jobs.get(hpx::launch::sync, failure), 0);
  EXPECT_TRUE(failure);
  EXPECT_THROW(jobs.get(hpx::launch::sync), weft::channel_closed);
}

TEST(HpxNames, a_channel_of_one_element_makes_its_sender_wait) {
  const hpx::lcos::local::one_element_channel<int> one;
  std::atomic<int> num_sent{0};
  auto sender = hpx::async([&] {
    for (int i = 0; i < 3; ++i) {
      one.set(i);
      ++num_sent;
    }
  });
  for (int i = 0; i < 3; ++i) {
    EXPECT_LE(num_sent, i + 1);
    EXPECT_EQ(one.get(hpx::launch::sync), i);
  }
  sender.get();
}

TEST(HpxNames, guarded_tasks_run_one_after_the_other) {
  const auto left = std::make_shared<hpx::lcos::local::guard>();
  const auto right = std::make_shared<hpx::lcos::local::guard>();
  hpx::lcos::local::guard_set both;
  both.add(left);
  both.add(right);
  int in_left = 0;  // plain: guards order the accesses
  int in_right = 0;
  hpx::promise<void> ended;

  for (int i = 0; i < 100; ++i) {
    hpx::lcos::local::run_guarded(*left, [&](int more) { in_left += more; }, 1);
    hpx::lcos::local::run_guarded(*right, [&] { ++in_right; });
    hpx::lcos::local::run_guarded(both, [&] {
      ++in_left;
      ++in_right;
    });
  }
  hpx::lcos::local::run_guarded(both, [&] { ended.set_value(); });
  ended.get_future().get();

  EXPECT_EQ(in_left, 200);
  EXPECT_EQ(in_right, 200);
}

static_assert(std::is_same_v<hpx::stop_source, weft::stop_source> &&
              std::is_same_v<hpx::stop_token, weft::stop_token>);

TEST(HpxNames, things_to_wait_with) {
  hpx::latch arrived(3);
  hpx::lcos::local::event begun;
  hpx::counting_semaphore_var<> ended;
  hpx::mutex guard;
  int sum = 0;
  for (int i = 0; i < 2; ++i) {
    hpx::post([&] {
      begun.wait();
      {
        const std::lock_guard lock(guard);
        ++sum;
      }
      arrived.count_down(1);
      ended.signal();
    });
  }
  begun.set();
  arrived.arrive_and_wait();
  ended.wait(2);
  EXPECT_EQ(sum, 2);

  hpx::experimental::task_group group;
  std::atomic<int> num_run{0};
  group.run([&](int more) { num_run += more; }, 2);
  group.wait();
  hpx::experimental::define_task_block([&](auto& block) { block.run([&] { ++num_run; }); });
  hpx::thread third([&] { ++num_run; });
  third.join();
  EXPECT_EQ(num_run, 4);
}

TEST(HpxNames, algorithms_with_policies_and_without) {
  std::vector<int> values(1000);
  hpx::ranges::generate(values, [] { return 1; });
  hpx::for_each(hpx::execution::par, values.begin(), values.end(), [](int& each) { ++each; });
  hpx::for_each(values.begin(), values.end(), [](int& each) { ++each; });
  hpx::ranges::for_each(hpx::execution::par_unseq, values, [](int& each) { ++each; });
  const hpx::execution::experimental::static_chunk_size chunks(10);
  auto sum = hpx::reduce(
      hpx::execution::par(hpx::execution::task).with(chunks), values.begin(), values.end(), 0);
  EXPECT_EQ(sum.get(), 4000);

  std::size_t last = 0;
  hpx::experimental::for_loop(0, values.size(), [&](std::size_t i) { last = i; });
  EXPECT_EQ(last, 999u);
  using counter = hpx::util::counting_iterator<std::size_t>;
  EXPECT_EQ(
      hpx::transform_reduce(hpx::execution::par,
                            counter(0),
                            counter(1000),
                            std::size_t{0},
                            std::plus<>(),
                            [&](std::size_t i) { return static_cast<std::size_t>(values[i]); }),
      4000u);
  EXPECT_EQ(hpx::transform_reduce(
                hpx::execution::par,
                hpx::util::zip_iterator(values.begin(), values.begin()),
                hpx::util::zip_iterator(values.end(), values.end()),
                0,
                std::plus<>(),
                [](hpx::tuple<int, int> both) { return hpx::get<0>(both) * hpx::get<1>(both); }),
            16'000);
}

TEST(HpxNames, executors) {
  const hpx::execution::parallel_executor where;
  EXPECT_EQ(hpx::async(where, [] { return 1; }).get(), 1);
  EXPECT_EQ(hpx::async([] { return 1; }).then(where, [](auto f) { return f.get() + 1; }).get(), 2);
  std::atomic<std::size_t> sum{0};
  hpx::parallel::execution::bulk_sync_execute(where, [&](std::size_t i) { sum += i; }, 10);
  EXPECT_EQ(sum, 45u);
  const hpx::execution::parallel_executor urgent(hpx::threads::thread_priority::high);
  EXPECT_EQ(hpx::async(urgent, [] { return 2; }).get(), 2);
  EXPECT_STREQ(hpx::threads::get_thread_priority_name(hpx::threads::thread_priority::low), "low");
  EXPECT_EQ(hpx::threads::weft_priority(hpx::threads::thread_priority::low),
            weft::task_priority::low);
  hpx::experimental::run_on_all([&] { ++sum; });
  EXPECT_EQ(sum, 45u + hpx::get_os_thread_count());
}

TEST(HpxNames, text) {
  EXPECT_EQ(hpx::util::format("{1} {2:4.1f} {1} {{}}", 7, 2.25), "7  2.2 7 {}");
  EXPECT_EQ(hpx::util::format("{}-{}", "a", std::string("b")), "a-b");
  EXPECT_THROW(static_cast<void>(hpx::util::format("{3}", 1)), weft::error);
  EXPECT_THROW(static_cast<void>(hpx::util::format("{1", 1)), weft::error);
  EXPECT_EQ(hpx::string_util::trim_copy(" \tab c\n"), "ab c");
}

TEST(HpxNames, counters) {
  hpx::performance_counters::performance_counter tasks("/threads/count/cumulative");
  hpx::async([] {}).get();

  EXPECT_GE(tasks.get_value<long>(hpx::launch::sync), 0);
}

}  // namespace hpx_names_test
