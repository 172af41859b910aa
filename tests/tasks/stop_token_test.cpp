// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stop tokens of tasks: who is waited for is known by its task, not by its OS thread.
#include "weft/tasks/stop_token.hpp"

#include <functional>
#include <optional>
#include <stop_token>
#include <thread>
#include <type_traits>
#include <utility>

#include <gtest/gtest.h>

#include "weft/tasks/async.hpp"
#include "weft/tasks/event.hpp"
#include "weft/tasks/inplace_stop_token.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/thread.hpp"

#include "tests/tasks/with_workers.hpp"

namespace stop_token_test {

using weft::stop_callback;
using weft::stop_source;
using weft::stop_token;
using weft::test::with_workers;

template <class Source>
class StopSource : public testing::Test {};
using sources = testing::Types<stop_source, weft::inplace_stop_source>;
TYPED_TEST_SUITE(StopSource, sources);

template <class Source, class Callback>
using callback_of =
    weft::stop_callback_for_t<decltype(std::declval<Source&>().get_token()), Callback>;

TYPED_TEST(StopSource, waits_for_a_callback_that_suspends) {
  for (const int num_workers : {1, 2, 4}) {
    weft::runtime runtime(with_workers(num_workers));
    runtime.run([] {
      weft::event has_begun;
      weft::event may_end;
      bool has_ended = false;
      TypeParam source;
      const auto wait = [&] {
        has_begun.set();
        may_end.wait();
        has_ended = true;
      };
      std::optional<callback_of<TypeParam, decltype(wait)>> callback(
          std::in_place, source.get_token(), wait);

      auto request = weft::async([&] { return source.request_stop(); });
      auto removal = weft::async([&] {
        has_begun.wait();
        auto end = weft::async([&] { may_end.set(); });
        callback.reset();
        EXPECT_TRUE(has_ended);
        end.get();
      });

      removal.get();
      EXPECT_TRUE(request.get());
    });
  }
}

TYPED_TEST(StopSource, lets_a_callback_that_was_suspended_remove_itself) {
  for (const int num_workers : {1, 2, 4}) {
    weft::runtime runtime(with_workers(num_workers));
    runtime.run([] {
      weft::event has_begun;
      weft::event may_end;
      int num_calls = 0;
      TypeParam source;
      struct self_removing {
        void operator()() const { call(); }
        const std::function<void()>& call;
      };
      std::optional<callback_of<TypeParam, self_removing>> callback;
      const std::function<void()> call = [&] {
        has_begun.set();
        may_end.wait();  // the task may go on as another OS thread
        callback.reset();
        ++num_calls;
      };
      callback.emplace(source.get_token(), self_removing{call});

      auto request = weft::async([&] { return source.request_stop(); });
      has_begun.wait();
      may_end.set();

      EXPECT_TRUE(request.get());
      EXPECT_EQ(num_calls, 1);
      EXPECT_FALSE(source.request_stop());
    });
  }
}

TYPED_TEST(StopSource, who_sees_the_request_sees_what_was_written_before_it) {
  TypeParam source;
  const auto token = source.get_token();
  int written = 0;  // no atomic: ThreadSanitizer reports it unless the request orders the two

  std::thread requester([&] {
    written = 1;
    source.request_stop();
  });
  while (!token.stop_requested()) {
    std::this_thread::yield();
  }

  EXPECT_EQ(written, 1);
  requester.join();
}

TEST(StopToken, a_callback_is_called_once) {
  stop_source source;
  int num_calls = 0;
  const stop_callback counts(source.get_token(), [&] { ++num_calls; });

  EXPECT_TRUE(stop_source(source).request_stop());
  EXPECT_FALSE(source.request_stop());
  EXPECT_EQ(num_calls, 1);
  EXPECT_TRUE(source.get_token().stop_requested());
  const stop_callback late(source.get_token(), [&] { ++num_calls; });
  EXPECT_EQ(num_calls, 2);
}

TEST(StopToken, stop_is_possible_while_there_is_a_source) {
  std::optional<stop_source> source(std::in_place);
  const stop_token token = source->get_token();
  const stop_source none(std::nostopstate);

  EXPECT_TRUE(token.stop_possible());
  EXPECT_FALSE(none.stop_possible() || none.stop_requested() || none.request_stop());
  EXPECT_FALSE(stop_token().stop_possible() || stop_token().stop_requested());
  EXPECT_EQ(none.get_token(), stop_token());
  EXPECT_NE(token, stop_token());
  EXPECT_EQ(token, stop_source(*source).get_token());
  source.reset();
  EXPECT_FALSE(token.stop_possible());
}

TEST(StopToken, a_request_outlives_its_sources) {
  std::optional<stop_source> source(std::in_place);
  const stop_token token = source->get_token();

  const stop_callback forget(token, [&] { source.reset(); });
  source->request_stop();

  EXPECT_FALSE(source.has_value());
  EXPECT_TRUE(token.stop_possible() && token.stop_requested());
}

TEST(StopToken, a_copied_assigned_and_swapped_source_counts_once) {
  stop_source one;
  const stop_token token = one.get_token();
  stop_source other(weft::nostopstate);
  other = one;
  one = stop_source(weft::nostopstate);
  swap(one, other);
  stop_source last(std::move(one));
  EXPECT_TRUE(token.stop_possible());
  last = stop_source();
  EXPECT_FALSE(token.stop_possible());
}

static_assert(weft::stoppable_token<stop_token> && !weft::unstoppable_token<stop_token>);
static_assert(
    std::is_same_v<decltype(std::declval<weft::jthread&>().get_stop_source()), stop_source>);

}  // namespace stop_token_test
