// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code as it is written for HPX means the same here.
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <numeric>
#include <shared_mutex>
#include <sstream>
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
#include <hpx/modules/testing.hpp>

#include "weft/base/error.hpp"
#include "weft/tasks/channel.hpp"
#include "weft/tasks/future_error.hpp"
#include "weft/tasks/launch.hpp"
#include "weft/tasks/stop_token.hpp"

namespace hpx_names_test {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

/// What a call fails with; success if it does not.
template <class Call>
hpx::error error_of(Call call) {
  try {
    call();
  } catch (const hpx::exception& raised) {
    return raised.get_error();
  }
  return hpx::error::success;
}

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

TEST(HpxNames, waits_tell_whether_one_failed) {
  const auto good = [] { return hpx::make_ready_future(1); };
  const auto bad = [] { return hpx::make_exceptional_future<int>(std::runtime_error("kept")); };
  std::array<hpx::future<int>, 2> both{good(), bad()};
  hpx::promise<int> late;
  auto never = late.get_future();
  auto failed = bad();

  EXPECT_TRUE(hpx::wait_all_nothrow(both));
  EXPECT_TRUE(hpx::wait_all_n_nothrow(both.begin(), 2));
  EXPECT_FALSE(hpx::wait_all_nothrow(both[0]));
  EXPECT_FALSE(hpx::wait_all_n_nothrow(both.begin(), 1));
  EXPECT_THROW(hpx::wait_all_n(both.begin(), 2), std::runtime_error);
  EXPECT_TRUE(hpx::wait_any_nothrow(never, failed));
  EXPECT_THROW(hpx::wait_any(never, failed), std::runtime_error);
  EXPECT_FALSE(hpx::wait_any_n_nothrow(both.begin(), 1));
  EXPECT_TRUE(hpx::wait_some_nothrow(2, both));
  EXPECT_TRUE(hpx::wait_some_n_nothrow(2, both.begin(), 2));
  EXPECT_THROW(hpx::wait_some(2, both.begin(), both.end()), std::runtime_error);
  EXPECT_THROW(hpx::wait_some(2, never, failed, both[0]), std::runtime_error);
  EXPECT_FALSE(hpx::wait_some_nothrow(0, never));
  EXPECT_EQ(error_of([&] { hpx::wait_some(3, both); }), hpx::error::bad_parameter);
  EXPECT_FALSE(never.is_ready());
  EXPECT_EQ(both[0].get(), 1);
  hpx::wait_any(std::vector<hpx::future<int>>());
  late.set_value(0);
}

TEST(HpxNames, some_of_a_sequence_is_joined) {
  const auto make = [] {
    std::list<hpx::future<int>> all;
    for (int i = 0; i < 4; ++i) {
      all.push_back(hpx::async([i] { return i; }));
    }
    return all;
  };
  auto all = make();
  int sum = 0;
  hpx::wait_each_n(
      [&sum](std::size_t i, hpx::future<int> each) { sum += static_cast<int>(i) + each.get(); },
      all.begin(),
      2);
  EXPECT_EQ(sum, 2);
  EXPECT_FALSE(all.front().valid());
  EXPECT_EQ(all.back().get(), 3);

  all = make();
  hpx::when_each_n([&sum](hpx::future<int> each) { sum += each.get(); }, all.begin(), 3).get();
  EXPECT_EQ(sum, 5);
  all = make();
  hpx::wait_each([&sum](hpx::future<int> each) { sum += each.get(); }, all.begin(), all.end());
  EXPECT_EQ(sum, 11);
  all = make();
  EXPECT_EQ(hpx::when_all_n(all.begin(), 2).get().size(), 2u);
  EXPECT_EQ(hpx::when_any_n(std::next(all.begin(), 2), 1).get().index, 0u);
  EXPECT_EQ(hpx::when_some_n(1, std::next(all.begin(), 3), 1).get().indices.size(), 1u);
}

TEST(HpxNames, launch_policies_combine_and_are_chosen_late) {
  const hpx::launch either = hpx::launch::deferred | hpx::launch::async;
  EXPECT_TRUE(either == hpx::launch::all && either != hpx::launch::deferred);
  EXPECT_EQ(hpx::async(either, [] { return 1; }).get(), 1);
  EXPECT_FALSE(hpx::async(hpx::launch(hpx::launch::deferred), [] { return 1; }).is_ready());
  int num_chosen = 0;
  const auto late = hpx::launch::select([&num_chosen]() -> hpx::launch {
    return ++num_chosen % 2 == 1 ? hpx::launch(hpx::launch::sync) : hpx::launch::async;
  });
  EXPECT_TRUE(hpx::async(late, [] {}).is_ready());
  EXPECT_EQ(hpx::async([] { return 2; }).then(late, [](auto f) { return f.get(); }).get(), 2);
  EXPECT_EQ(hpx::dataflow(late, [](int a) { return a; }, 3).get(), 3);
  EXPECT_EQ(num_chosen, 3);
  hpx::promise<void> posted;
  auto end = posted.get_future();
  hpx::async(hpx::launch::post, [&posted] { posted.set_value(); });
  end.get();

  using hpx::execution::experimental::get_hint;
  using hpx::execution::experimental::with_hint;
  const hpx::threads::thread_schedule_hint wish(1);
  const auto hinted = with_hint(hpx::execution::parallel_executor(), wish);
  EXPECT_TRUE(get_hint(hinted) == wish);
  EXPECT_EQ(hpx::async(hinted, [] { return 4; }).get(), 4);
  const auto urgent = hpx::execution::experimental::with_priority(
      hpx::launch(hpx::launch::async), hpx::threads::thread_priority::high);
  EXPECT_EQ(urgent.priority(), hpx::threads::thread_priority::high);
  EXPECT_EQ(weft::launch(urgent).priority(), weft::task_priority::high);
  EXPECT_EQ(weft::launch(hpx::launch::async).priority(), weft::task_priority::normal);
}

TEST(HpxNames, futures_of_calls_made_later) {
  hpx::lcos::local::futures_factory<int()> call([] { return 5; });
  auto result = call.get_future();
  EXPECT_EQ(error_of([&] { static_cast<void>(call.get_future()); }),
            hpx::error::future_already_retrieved);
  EXPECT_FALSE(result.is_ready());
  call.post();
  EXPECT_EQ(result.get(), 5);
  hpx::future<void> dropped;
  {
    const hpx::lcos::local::futures_factory<void()> never([] {});
    dropped = never.get_future();
  }
  EXPECT_EQ(error_of([&] { dropped.get(); }), hpx::error::broken_promise);
  EXPECT_EQ(error_of([] { hpx::lcos::local::futures_factory<void()>().post(); }),
            hpx::error::no_state);
}

TEST(HpxNames, futures_of_other_futures) {
  const hpx::shared_future<int> shared = hpx::make_ready_future(6);
  EXPECT_EQ(hpx::make_future<double>(shared).get(), 6.0);
  EXPECT_EQ(hpx::make_future<std::string>(hpx::make_ready_future(7),
                                          [](int a) { return std::to_string(a); })
                .get(),
            "7");
  hpx::make_future<void>(shared).get();
  EXPECT_EQ(hpx::futures::transform(shared, [](int a) { return a + 1; }).get(), 7);
  EXPECT_EQ(hpx::futures::or_else(hpx::make_exceptional_future<int>(std::runtime_error("")),
                                  [](const std::exception_ptr& raised) { return raised ? 1 : 0; })
                .get(),
            1);
  auto parts = hpx::split_future(hpx::make_ready_future(std::pair(1, std::string("b"))));
  EXPECT_EQ(parts.second.get() + std::to_string(parts.first.get()), "b1");
  hpx::get<0>(hpx::split_future(hpx::make_ready_future(hpx::tuple<>()))).get();
  const std::array<int, 2> values{1, 2};
  EXPECT_EQ(hpx::split_future(hpx::make_ready_future(values).share())[1].get(), 2);
  int referred = 0;
  hpx::make_ready_future<int&>(referred).get() = 8;
  EXPECT_EQ(referred, 8);
}

TEST(HpxNames, values_are_unwrapped_as_deep_as_asked) {
  const auto ready = [](auto value) { return hpx::make_ready_future(std::move(value)); };
  EXPECT_EQ(hpx::unwrap_n<2>(ready(ready(1))), 1);
  EXPECT_EQ(hpx::unwrap_n<1>(ready(ready(1))).get(), 1);
  EXPECT_EQ(hpx::unwrap_all(ready(hpx::make_tuple(ready(1), ready(ready(2))))),
            hpx::make_tuple(1, 2));
  EXPECT_EQ(hpx::unwrap(std::array{ready(1), ready(2)}), (std::array{1, 2}));
  EXPECT_EQ(hpx::unwrapping([](int a, int b) { return a - b; })(5, ready(2)), 3);
  static_assert(std::is_void_v<decltype(hpx::unwrap(std::vector<hpx::future<void>>()))>);
}

TEST(HpxNames, packs_are_mapped_and_walked) {
  const auto half = [](int a) { return a / 2.0; };
  using texts = std::vector<std::string>;
  EXPECT_EQ(hpx::util::map_pack(half, 1, texts{"kept"}, std::vector{2, 4}, hpx::make_tuple(3)),
            hpx::make_tuple(0.5, texts{"kept"}, std::vector{1.0, 2.0}, hpx::make_tuple(1.5)));
  const auto twice = [](int a) { return hpx::util::spread_this(a, a); };
  EXPECT_EQ(hpx::util::map_pack(twice, std::array{1, 2}), (std::array{1, 1, 2, 2}));
  EXPECT_EQ(hpx::util::map_pack(twice, std::list{3}), (std::list{hpx::make_tuple(3, 3)}));
  static_assert(std::is_void_v<decltype(hpx::util::map_pack(
                    [](int) { return hpx::util::spread_this(); }, std::vector<int>(), 1))>);
  std::vector<int> seen;
  hpx::util::traverse_pack([&seen](int a) { seen.push_back(a); },
                           1,
                           "skipped",
                           hpx::make_tuple(2, std::vector<std::vector<int>>{{3}, {4, 5}}));
  EXPECT_THAT(seen, ElementsAre(1, 2, 3, 4, 5));
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

TEST(HpxNames, channels_number_what_they_carry) {
  const hpx::lcos::local::channel<int> numbered;
  auto seventh = numbered.get(7);
  numbered.set(30, 3);
  numbered.set(70, 7);
  EXPECT_EQ(seventh.get(), 70);
  EXPECT_EQ(numbered.get(hpx::launch::sync, 3), 30);
  EXPECT_EQ(error_of([&] { numbered.get(hpx::launch::sync); }), hpx::error::deadlock);
  numbered.close();
  EXPECT_EQ(error_of([&] { numbered.get(hpx::launch::sync, 8); }), hpx::error::invalid_status);
  int num_signals = 0;
  const hpx::lcos::local::channel<> signals;
  signals.set();
  signals.set();
  signals.close();
  for ([[maybe_unused]] const auto& each : signals) {
    ++num_signals;
  }
  EXPECT_EQ(num_signals, 2);
}

TEST(HpxNames, bounded_channels_never_wait) {
  std::vector<hpx::lcos::local::channel_mpmc<std::unique_ptr<int>>> queues;
  queues.emplace_back(std::size_t{1});
  auto& queue = queues.front();
  std::unique_ptr<int> value = std::make_unique<int>(1);
  EXPECT_TRUE(queue.set(std::move(value)));
  value = std::make_unique<int>(2);
  EXPECT_FALSE(queue.set(std::move(value)));
  EXPECT_EQ(*value, 2);  // NOLINT(bugprone-use-after-move): a queue that is full takes nothing
  EXPECT_TRUE(queue.get(&value));
  EXPECT_EQ(*value, 1);
  EXPECT_FALSE(queue.get());
  const hpx::lcos::local::channel_spsc<int> closed(2);
  closed.close();
  EXPECT_FALSE(closed.set(1));
}

TEST(HpxNames, a_channel_of_one_element_makes_its_sender_wait) {
  const hpx::lcos::local::one_element_channel<int> one;
  std::atomic<int> num_sent{0};
  auto sender = hpx::async([one, &num_sent] {
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

TEST(HpxNames, things_to_wait_with_that_can_be_set_again) {
  hpx::lcos::local::latch counted(0);
  EXPECT_TRUE(counted.reset_if_needed_and_count_up(1, 1));
  hpx::lcos::local::barrier meeting(1);
  hpx::binary_semaphore one;
  EXPECT_TRUE(one.try_acquire());
  EXPECT_FALSE(one.try_acquire());
  std::atomic<int> num_met{0};
  for (int round = 1; round <= 2; ++round) {
    meeting.reset(1);
    for (int i = 0; i < 4; ++i) {
      meeting.count_up();
      counted.count_up();
      hpx::post([&] {
        ++num_met;
        meeting.wait();
        counted.count_down();
      });
    }
    meeting.wait();
    EXPECT_EQ(num_met, 4 * round);
  }
  counted.arrive_and_wait(2);
  EXPECT_TRUE(counted.try_wait());

  int num_phases = 0;
  hpx::barrier all(1, [&num_phases] { ++num_phases; });  // not noexcept
  all.arrive_and_wait();
  EXPECT_EQ(num_phases, 1);
}

TEST(HpxNames, one_of_the_readers_may_become_the_writer) {
  hpx::shared_mutex mutex;
  int value = 0;  // plain: the mutex orders the accesses
  hpx::async([&] {
    std::vector<hpx::future<void>> all;
    for (int i = 0; i < 8; ++i) {
      all.push_back(hpx::async([&] {
        hpx::upgrade_lock<hpx::shared_mutex> lock(mutex);
        const int before = value;
        hpx::this_thread::yield();
        const hpx::upgrade_to_unique_lock<hpx::shared_mutex> writer(lock);
        value = before + 1;
      }));
      all.push_back(hpx::async([&] {
        const std::scoped_lock lock(mutex);
        ++value;
      }));
      all.push_back(hpx::async([&] {
        const std::shared_lock lock(mutex);
        EXPECT_LE(value, 16);
      }));
    }
    hpx::wait_all(all);
  }).get();
  EXPECT_EQ(value, 16);

  hpx::upgrade_lock<hpx::shared_mutex> lock(mutex);
  EXPECT_TRUE(mutex.try_lock_shared());
  mutex.unlock_shared();
  EXPECT_FALSE(mutex.try_lock_upgrade() || mutex.try_lock());
  lock.unlock();
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock_and_lock_shared();
  mutex.unlock_shared();
}

TEST(HpxNames, accesses_come_in_the_order_they_were_asked_for) {
  namespace ex = hpx::execution::experimental;
  hpx::experimental::async_rw_mutex<int> value(0);
  std::vector<hpx::future<int>> seen;
  for (int i = 0; i < 10; ++i) {
    seen.push_back(ex::make_future(value.readwrite() | ex::transfer(ex::thread_pool_scheduler()) |
                                   ex::then([](int& each) { return each++; })));
    for (int reader = 0; reader < 2; ++reader) {
      seen.push_back(ex::make_future(value.read() | ex::transfer(ex::thread_pool_scheduler()) |
                                     ex::then([](const int& each) { return each; })));
    }
  }
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const auto round = static_cast<int>(i / 3);
    EXPECT_EQ(seen[i].get(), i % 3 == 0 ? round : round + 1);
  }
  static_cast<void>(value.readwrite());  // nobody takes it
  auto moved = std::move(value);
  auto last = moved.read();
  moved = hpx::experimental::async_rw_mutex<int>(1);
  EXPECT_EQ(last.get().get(), 10);
}

TEST(HpxNames, threads_are_interrupted_at_points_of_theirs) {
  hpx::latch begun(1);
  bool was_passed = false;
  hpx::thread endless([&] {
    begun.count_down();
    while (true) {
      hpx::this_thread::yield();
    }
    was_passed = true;
  });
  begun.wait();
  endless.interrupt();
  endless.join();
  EXPECT_FALSE(was_passed);
  EXPECT_EQ(error_of([&] { endless.join(); }), hpx::error::invalid_status);

  hpx::barrier<> steps(2);
  hpx::thread stubborn([&] {
    const hpx::this_thread::disable_interruption scope;
    steps.arrive_and_wait();
    steps.arrive_and_wait();
    hpx::this_thread::interruption_point();
    was_passed = true;
  });
  steps.arrive_and_wait();
  EXPECT_EQ(error_of([&] { stubborn.interrupt(); }), hpx::error::thread_not_interruptable);
  EXPECT_EQ(error_of([] { hpx::thread().interrupt(); }), hpx::error::null_thread_id);
  steps.arrive_and_wait();
  stubborn.join();
  EXPECT_TRUE(was_passed);

  hpx::thread named([] {
    const auto me = hpx::threads::get_self_id();
    EXPECT_EQ(hpx::threads::set_thread_description(me, "first"), "");
    EXPECT_EQ(hpx::threads::get_thread_description(me), "first");
    EXPECT_GT(hpx::this_thread::get_stack_size(), hpx::this_thread::get_available_stack_space());
    EXPECT_TRUE(hpx::this_thread::has_sufficient_stack_space());
  });
  named.join();
  EXPECT_EQ(error_of([] { hpx::threads::set_thread_description({}, "nobody"); }),
            hpx::error::null_thread_id);
}

TEST(HpxNames, work_is_registered_by_hand) {
  hpx::latch ended(1);
  hpx::threads::thread_init_data data(
      hpx::threads::make_thread_function_nullary(
          hpx::bind_back([&ended](int a, int b) { ended.count_down(a - b); }, 3, 2)),
      "counts down");
  hpx::threads::register_work(data);
  ended.wait();
  const auto text = hpx::bind_back([](const std::string& a, const std::string& b) { return a + b; },
                                   std::string("back"));
  EXPECT_EQ(text("front "), "front back");
}

TEST(HpxNames, exceptions_say_which_and_where) {
  try {
    HPX_THROW_EXCEPTION(hpx::error::bad_parameter, "call", "argument {1}", 3);
  } catch (const hpx::exception& raised) {
    EXPECT_EQ(hpx::get_error(raised), hpx::error::bad_parameter);
    EXPECT_STREQ(raised.what(), "call: argument 3");
  }
  EXPECT_EQ(hpx::get_error(std::make_exception_ptr(1)), hpx::error::unknown_error);
}

TEST(HpxNames, checks_tell_what_failed) {
  std::ostringstream told;
  EXPECT_TRUE(HPX_TEST_EQ(told, 1, 1));
  EXPECT_TRUE(HPX_TEST_RANGE(2, 1, 3));
  EXPECT_EQ(told.str(), "");
  EXPECT_EQ(hpx::util::report_errors(told), 0);
  EXPECT_FALSE(HPX_TEST_LT(told, 2, 1));
  EXPECT_THAT(told.str(), HasSubstr("test '2 < 1' failed in function"));
  EXPECT_THAT(told.str(), HasSubstr(": 2, 1\n"));
  EXPECT_FALSE(HPX_TEST_MSG(told, false, "said so"));
  EXPECT_FALSE(HPX_SANITY(told, 1 > 2));
  EXPECT_FALSE(HPX_TEST_THROW(told, std::string(), std::runtime_error));
  EXPECT_EQ(hpx::util::report_errors(told), 1);
  EXPECT_THAT(told.str(), HasSubstr("1 sanity checks and 3 tests failed."));
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

  std::vector<int> made(100);
  hpx::ranges::uninitialized_fill(hpx::execution::par, made, 7);
  EXPECT_THAT(made, Each(7));
  hpx::ranges::uninitialized_fill(made, 8);
  EXPECT_THAT(made, Each(8));

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

/// Calls at once, with an argument more.
struct prefixing_executor {
  template <class F, class... Args>
  friend auto tag_invoke(hpx::parallel::execution::async_execute_t /*tag*/,
                         const prefixing_executor& /*where*/,
                         F&& f,
                         Args&&... args) {
    return hpx::async(hpx::launch::sync, std::forward<F>(f), 10, std::forward<Args>(args)...);
  }
};

}  // namespace hpx_names_test

template <>
struct hpx::execution::experimental::is_two_way_executor<hpx_names_test::prefixing_executor>
    : std::true_type {};

namespace hpx_names_test {

TEST(HpxNames, executors_may_be_written_with_tags) {
  const prefixing_executor where;
  EXPECT_EQ(hpx::async(where, [](int ten, int a) { return ten + a; }, 1).get(), 11);
  EXPECT_EQ(hpx::dataflow(
                where, [](int ten, hpx::future<int> a) { return ten * a.get(); }, hpx::async([] {
                  return 2;
                }))
                .get(),
            20);
  int posted = 0;
  hpx::post(where, [&posted](int ten) { posted = ten; });
  EXPECT_EQ(posted, 10);
}

struct counted_object {
  int num_owners = 0;
  friend void intrusive_ptr_add_ref(counted_object* p) { ++p->num_owners; }
  friend void intrusive_ptr_release(counted_object* p) { --p->num_owners; }
};

TEST(HpxNames, objects_may_count_their_owners) {
  counted_object object;
  {
    const hpx::intrusive_ptr<counted_object> first(&object);
    hpx::intrusive_ptr<counted_object> second = first;
    EXPECT_EQ(object.num_owners, 2);
    const hpx::intrusive_ptr<counted_object> third = std::move(second);
    EXPECT_TRUE(third == first && !second);  // NOLINT(bugprone-use-after-move): it is empty
    second.reset(&object);
    EXPECT_EQ(object.num_owners, 3);
  }
  EXPECT_EQ(object.num_owners, 0);
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
  hpx::reset_active_counters();  // none are: nothing happens
  hpx::evaluate_active_counters(true, "nothing");
}

}  // namespace hpx_names_test
