// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// future and shared_future: who owns the result, wrong uses, threads and runtimes.
#include "weft/tasks/future.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "weft/base/error.hpp"
#include "weft/tasks/async.hpp"
#include "weft/tasks/future_error.hpp"
#include "weft/tasks/promise.hpp"
#include "weft/tasks/shared_future.hpp"

#include "tasks/futures_fixture.hpp"

namespace future_test {

class Future : public WithWorkers {};

TEST_P(Future, every_use_of_one_without_state_is_named) {
  runtime.run([] {
    weft::future<int> empty;
    const auto expected = weft::future_errc::no_state;

    EXPECT_FALSE(empty.valid());
    EXPECT_FALSE(empty.is_ready());
    EXPECT_EQ(code_of([&] { empty.get(); }), expected);
    EXPECT_EQ(code_of([&] { empty.wait(); }), expected);
    EXPECT_EQ(code_of([&] { static_cast<void>(empty.share()); }), expected);
    EXPECT_EQ(code_of([&] { static_cast<void>(empty.then([](weft::future<int>) {})); }), expected);
    EXPECT_EQ(code_of([&] { weft::shared_future<int>().get(); }), expected);
  });
}

TEST_P(Future, get_twice_is_an_error_that_says_so) {
  runtime.run([] {
    weft::future<int> f = weft::async([] { return 1; });
    f.get();

    EXPECT_FALSE(f.valid());
    try {
      f.get();
      FAIL() << "get() worked twice";
    } catch (const weft::error& e) {
      EXPECT_NE(std::string(e.what()).find("shared_future"), std::string::npos) << e.what();
    }
  });
}

TEST_P(Future, knows_whether_it_holds_a_value_or_an_exception) {
  runtime.run([] {
    weft::future<int> good = weft::async([] { return 1; });
    weft::future<int> bad = weft::async([]() -> int { throw std::runtime_error("bad"); });
    good.wait();
    bad.wait();

    EXPECT_TRUE(good.is_ready() && good.has_value() && !good.has_exception());
    EXPECT_TRUE(bad.is_ready() && bad.has_exception() && !bad.has_value());
    EXPECT_EQ(good.get(), 1);
    EXPECT_THROW(bad.get(), std::runtime_error);
  });
}

TEST_P(Future, is_got_by_a_thread_that_is_no_worker) {
  for (int i = 0; i < 100; ++i) {
    weft::future<int> f = runtime.run([i] { return weft::async([i] { return i; }); });
    ASSERT_EQ(f.get(), i);
  }
}

TEST_P(Future, is_got_by_a_task_of_another_runtime) {
  weft::runtime other(with_workers(2));
  for (int i = 0; i < 100; ++i) {
    weft::future<int> f = runtime.run([i] { return weft::async([i] { return i; }); });
    ASSERT_EQ(other.run([&f] { return f.get(); }), i);
  }
}

TEST_P(Future, copies_of_a_shared_future_give_the_same_object) {
  runtime.run([] {
    const weft::shared_future<std::string> first =
        weft::async([] { return std::string("once"); }).share();
    std::vector<weft::future<const std::string*>> readers;
    readers.reserve(50);
    for (int i = 0; i < 50; ++i) {
      readers.push_back(weft::async([copy = first] { return &copy.get(); }));
    }

    for (auto& reader : readers) {
      EXPECT_EQ(reader.get(), &first.get());
    }
    EXPECT_EQ(first.get(), "once");
  });
}

TEST_P(Future, a_shared_exception_is_rethrown_to_all) {
  runtime.run([] {
    const weft::shared_future<void> f = weft::async([] { throw std::domain_error("all"); });

    for (int i = 0; i < 3; ++i) {
      EXPECT_THROW(f.get(), std::domain_error);
    }
  });
}

TEST_P(Future, a_shared_deferred_task_runs_once) {
  for (int round = 0; round < 50; ++round) {
    runtime.run([] {
      std::atomic<int> calls{0};
      const weft::shared_future<int> f =
          weft::async(weft::launch::deferred, [&] { return ++calls; }).share();
      std::vector<weft::future<int>> readers;
      readers.reserve(4);
      for (int i = 0; i < 4; ++i) {
        readers.push_back(weft::async([f] { return f.get(); }));
      }

      for (auto& reader : readers) {
        EXPECT_EQ(reader.get(), 1);
      }
    });
  }
}

TEST_P(Future, of_a_future_becomes_the_inner_one) {
  runtime.run([] {
    weft::future<int> flat = weft::async([] { return weft::async([] { return 42; }); });
    weft::future<int> failed =
        weft::async([]() -> weft::future<int> { throw std::runtime_error("outer"); });
    weft::future<int> empty = weft::async([] { return weft::future<int>(); });

    EXPECT_EQ(flat.get(), 42);
    EXPECT_THROW(failed.get(), std::runtime_error);
    EXPECT_THROW(empty.get(), weft::future_error);
  });
}

TEST_P(Future, becomes_one_of_nothing_and_keeps_its_exception) {
  runtime.run([] {
    weft::future<void> value = weft::async([] { return 1; });
    value.get();
    weft::future<void> failed = weft::async([]() -> int { throw std::runtime_error("kept"); });
    EXPECT_THROW(failed.get(), std::runtime_error);
    const weft::shared_future<int> source = weft::make_ready_future(2).share();
    const weft::shared_future<void> ready = source;
    ready.get();
    EXPECT_EQ(source.get(), 2);
    EXPECT_EQ(code_of([] { const weft::future<void> none = weft::future<int>(); }),
              weft::future_errc::no_state);
  });
}

TEST_P(Future, ready_ones_need_no_task) {
  auto ready = weft::make_ready_future(std::make_unique<int>(3));
  auto nothing = weft::make_ready_future();
  auto failed = weft::make_exceptional_future<int>(std::out_of_range("made"));
  int target = 0;
  auto reference = weft::make_ready_future(std::ref(target));

  EXPECT_TRUE(ready.has_value() && nothing.has_value() && failed.has_exception());
  EXPECT_EQ(*ready.get(), 3);
  EXPECT_EQ(&reference.get(), &target);
  EXPECT_THROW(failed.get(), std::out_of_range);
}

TEST_P(Future, a_timed_wait_ends_in_time) {
  runtime.run([] {
    using namespace std::chrono_literals;
    weft::promise<int> p;
    weft::future<int> f = p.get_future();
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(f.wait_for(1ms), weft::future_status::timeout);
    }
    EXPECT_EQ(f.wait_until(std::chrono::system_clock::now() - 1h), weft::future_status::timeout);
    p.set_value(1);
    EXPECT_EQ(f.wait_for(1h), weft::future_status::ready);
    EXPECT_EQ(f.get(), 1);
  });
}

TEST_P(Future, a_timed_wait_ends_when_the_result_is_there) {
  for (int i = 0; i < 50; ++i) {
    runtime.run([i] {
      weft::shared_future<int> f = weft::async([i] { return i; });
      auto other = weft::async(
          [f] { return f.wait_for(std::chrono::hours(1)) == weft::future_status::ready; });
      EXPECT_EQ(f.wait_for(std::chrono::hours(1)), weft::future_status::ready);
      EXPECT_TRUE(other.get());
    });
  }
}

TEST_P(Future, timed_waits_race_with_completion) {
  for (int i = 0; i < 100; ++i) {
    runtime.run([i] {
      weft::promise<int> p;
      weft::shared_future<int> f = p.get_future();
      std::vector<weft::future<void>> waiting;
      waiting.reserve(4);
      for (int k = 0; k < 4; ++k) {
        waiting.push_back(weft::async(
            [f, k] { static_cast<void>(f.wait_for(std::chrono::microseconds(20 * k))); }));
      }
      auto setter = weft::async([&p, i] { p.set_value(i); });
      for (auto& each : waiting) {
        each.get();
      }
      setter.get();
      EXPECT_EQ(f.get(), i);
    });
  }
}

TEST_P(Future, a_timed_wait_does_not_begin_a_deferred_task) {
  auto f = weft::async(weft::launch::deferred, [] { return 1; });

  EXPECT_EQ(f.wait_for(std::chrono::seconds(1)), weft::future_status::deferred);
  EXPECT_EQ(f.get(), 1);
}

TEST_P(Future, a_thread_waits_with_a_limit) {
  weft::promise<void> p;
  weft::future<void> f = p.get_future();

  EXPECT_EQ(f.wait_for(std::chrono::milliseconds(2)), weft::future_status::timeout);
  std::jthread setter([&] { p.set_value(); });
  EXPECT_EQ(f.wait_for(std::chrono::hours(1)), weft::future_status::ready);
}

WEFT_RUN_WITH_WORKERS(Future);

}  // namespace future_test
