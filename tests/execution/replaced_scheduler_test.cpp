// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that puts its own workers in the place of those of the parallel scheduler.
#include <atomic>
#include <concepts>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/execution.hpp"
#include "weft/tasks/stop_token.hpp"

#include "execution/probe.hpp"

namespace weft::execution {
namespace replaced_scheduler_test {

using parallel_scheduler_replacement::bulk_item_receiver_proxy;
using parallel_scheduler_replacement::parallel_scheduler_backend;
using parallel_scheduler_replacement::receiver_proxy;

struct in_parallel {
  static constexpr bool is_parallel = true;
};

/// What the backend was asked, and what it shall do.
struct record {
  int num_schedules = 0;
  std::vector<std::size_t> chunked;
  std::vector<std::size_t> unchunked;
  std::size_t storage_bytes = 0;
  bool fails = false;
  bool stops = false;
  std::optional<inplace_stop_token> token;
};
record seen;

/// A thread for every piece of work.
class thread_backend final : public parallel_scheduler_backend {
 public:
  void schedule(receiver_proxy& to, std::span<std::byte> storage) noexcept override {
    ++seen.num_schedules;
    seen.storage_bytes = storage.size();
    seen.token = to.try_query<inplace_stop_token>(get_stop_token);
    run([&to] {
      if (seen.fails) {
        to.set_error(std::make_exception_ptr(std::runtime_error("no worker is left")));
      } else if (seen.stops) {
        to.set_stopped();
      } else {
        to.set_value();
      }
    });
  }
  void schedule_bulk_chunked(std::size_t n,
                             bulk_item_receiver_proxy& to,
                             std::span<std::byte> /*storage*/) noexcept override {
    seen.chunked.push_back(n);
    run([n, &to] {
      if (n > 1) {
        to.execute(n / 2, n);
      }
      if (n > 0) {
        to.execute(0, n > 1 ? n / 2 : n);
      }
      to.set_value();
    });
  }
  void schedule_bulk_unchunked(std::size_t n,
                               bulk_item_receiver_proxy& to,
                               std::span<std::byte> /*storage*/) noexcept override {
    seen.unchunked.push_back(n);
    run([n, &to] {
      for (std::size_t i = 0; i != n; ++i) {
        to.execute(i, i + 1);
      }
      to.set_value();
    });
  }

  static std::thread::id last_thread() { return last; }

 private:
  template <class F>
  static void run(F f) {
    std::thread worker([f] {
      last = std::this_thread::get_id();
      f();
    });
    worker.detach();
  }
  static inline std::atomic<std::thread::id> last;
};

}  // namespace replaced_scheduler_test

namespace parallel_scheduler_replacement {

std::shared_ptr<parallel_scheduler_backend> query_parallel_scheduler_backend() {
  static const auto only = std::make_shared<replaced_scheduler_test::thread_backend>();
  return only;
}

}  // namespace parallel_scheduler_replacement

namespace replaced_scheduler_test {

class ReplacedScheduler : public testing::Test {
 protected:
  void SetUp() override { seen = {}; }
};

TEST_F(ReplacedScheduler, work_goes_to_the_programs_backend) {
  std::thread::id where;
  const auto sent = sync_wait(schedule(get_parallel_scheduler()) | then([&where] {
                                where = std::this_thread::get_id();
                                return 7;
                              }));

  EXPECT_EQ(sent, std::tuple(7));
  EXPECT_EQ(seen.num_schedules, 1);
  EXPECT_EQ(where, thread_backend::last_thread());
  EXPECT_GE(seen.storage_bytes, sizeof(void*));
  EXPECT_TRUE(get_parallel_scheduler() == get_parallel_scheduler());
  EXPECT_EQ(get_forward_progress_guarantee(get_parallel_scheduler()),
            forward_progress_guarantee::parallel);
}

TEST_F(ReplacedScheduler, what_the_backend_fails_with_is_sent) {
  seen.fails = true;
  EXPECT_THROW(sync_wait(schedule(get_parallel_scheduler())), std::runtime_error);
  seen.fails = false;
  seen.stops = true;
  EXPECT_FALSE(sync_wait(schedule(get_parallel_scheduler())).has_value());
  EXPECT_TRUE(
      (std::same_as<
          completion_signatures_of_t<decltype(schedule(get_parallel_scheduler()))>,
          completion_signatures<set_value_t(), set_error_t(std::exception_ptr), set_stopped_t()>>));
}

TEST_F(ReplacedScheduler, bulk_goes_to_the_programs_backend) {
  std::vector<int> calls(10, 0);
  auto count = [&calls](int i, int& step) { calls[static_cast<std::size_t>(i)] += step; };
  const auto one = [] { return schedule(get_parallel_scheduler()) | then([] { return 1; }); };

  EXPECT_EQ(sync_wait(one() | bulk(in_parallel(), 10, count)), std::tuple(1));
  EXPECT_EQ(sync_wait(one() | bulk_unchunked(in_parallel(), 10, count)), std::tuple(1));
  EXPECT_EQ(sync_wait(one() | bulk_chunked(in_parallel(),
                                           10,
                                           [&](int first, int last, int& step) {
                                             for (; first != last; ++first) {
                                               count(first, step);
                                             }
                                           })),
            std::tuple(1));
  EXPECT_EQ(calls, std::vector<int>(10, 3));
  EXPECT_EQ(seen.chunked, (std::vector<std::size_t>{10, 10}));
  EXPECT_EQ(seen.unchunked, (std::vector<std::size_t>{10}));
}

TEST_F(ReplacedScheduler, bulk_in_sequence_is_one_call_of_the_backend) {
  std::vector<int> order;
  const auto note = [&order](int i) { order.push_back(i); };

  sync_wait(schedule(get_parallel_scheduler()) | bulk(test::in_sequence(), 3, note));
  sync_wait(schedule(get_parallel_scheduler()) | bulk_unchunked(test::in_sequence(), 3, note));
  sync_wait(schedule(get_parallel_scheduler()) | bulk(test::in_sequence(), 0, note));

  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(seen.chunked, (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(seen.unchunked, (std::vector<std::size_t>{1}));
}

TEST_F(ReplacedScheduler, what_a_call_of_bulk_throws_is_sent) {
  const auto fail = [](int i) {
    if (i == 3) {
      throw std::runtime_error("of 3");
    }
  };
  EXPECT_THROW(sync_wait(schedule(get_parallel_scheduler()) | bulk(in_parallel(), 8, fail)),
               std::runtime_error);
}

TEST_F(ReplacedScheduler, the_backend_sees_requests_to_stop) {
  test::outcome result;
  inplace_stop_source source;
  auto told = connect(schedule(get_parallel_scheduler()),
                      test::probe(&result, prop(get_stop_token, source.get_token())));
  start(told);
  while (result.num_completions() == 0) {
    std::this_thread::yield();
  }
  ASSERT_TRUE(seen.token.has_value());
  EXPECT_TRUE(*seen.token == source.get_token());

  sync_wait(schedule(get_parallel_scheduler()) | unstoppable());
  ASSERT_TRUE(seen.token.has_value());
  EXPECT_FALSE(seen.token->stop_possible());
}

TEST_F(ReplacedScheduler, a_token_of_another_kind_is_followed) {
  weft::stop_source source;
  struct proxy_of_probe final
      : detail::receiver_proxy_of<test::probe<prop<get_stop_token_t, weft::stop_token>>,
                                  receiver_proxy> {
    using base = detail::receiver_proxy_of<test::probe<prop<get_stop_token_t, weft::stop_token>>,
                                           receiver_proxy>;
    explicit proxy_of_probe(test::probe<prop<get_stop_token_t, weft::stop_token>>&& end) noexcept
        : base(std::move(end)) {
      follow();
    }
  };
  test::outcome result;
  proxy_of_probe proxy(test::probe(&result, prop(get_stop_token, source.get_token())));
  const auto token = proxy.try_query<inplace_stop_token>(get_stop_token);

  ASSERT_TRUE(token.has_value());
  EXPECT_FALSE(token->stop_requested());
  source.request_stop();
  EXPECT_TRUE(token->stop_requested());
  EXPECT_FALSE(proxy.try_query<int>(get_stop_token).has_value());
  EXPECT_FALSE(proxy.try_query<inplace_stop_token>(get_scheduler).has_value());
  proxy.set_stopped();
  EXPECT_EQ(result.num_stops, 1);
}

TEST_F(ReplacedScheduler, other_schedulers_stay_wefts) {
  std::thread::id where;
  sync_wait(schedule(default_runtime().get_scheduler()) |
            then([&where] { where = std::this_thread::get_id(); }));

  EXPECT_NE(where, std::thread::id());
  EXPECT_EQ(seen.num_schedules, 0);
}

}  // namespace replaced_scheduler_test
}  // namespace weft::execution
