// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about waiting for a time, for a message, and for the first of several.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "weft/execution/as_future.hpp"
#include "weft/execution/channel.hpp"
#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/just.hpp"
#include "weft/execution/lazy_task.hpp"
#include "weft/execution/let.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/select.hpp"
#include "weft/execution/sender.hpp"
#include "weft/execution/sleep.hpp"
#include "weft/execution/stop_token.hpp"
#include "weft/execution/sync_wait.hpp"
#include "weft/execution/task.hpp"
#include "weft/execution/then.hpp"
#include "weft/execution/when_all.hpp"
#include "weft/execution/when_any.hpp"
#include "weft/execution/write_env.hpp"
#include "weft/tasks/channel.hpp"
#include "weft/tasks/coroutine_async.hpp"
#include "weft/tasks/coroutine_future.hpp"  // IWYU pragma: keep: a promise type
#include "weft/tasks/fork_join.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/lazy_task.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/this_task.hpp"

#include "execution/probe.hpp"
#include "tasks/on_workers.hpp"
#include "tasks/with_workers.hpp"

namespace waiting_test {

using namespace std::chrono_literals;
namespace ex = weft::execution;
using clock = std::chrono::steady_clock;
using weft::channel;
using weft::lazy_task;
using weft::select;
using weft::sleep_for;
using weft::sleep_until;
using weft::test::outcome;
using weft::test::probe;
using weft::test::with_workers;

constexpr auto for_ever = 24h;

/// With the token of `source` in its environment.
template <class Sender>
auto stoppable(Sender&& sender, const weft::inplace_stop_source& source) {
  return ex::write_env(std::forward<Sender>(sender),
                       ex::prop(ex::get_stop_token, source.get_token()));
}
auto probe_with(outcome& result, const weft::inplace_stop_source& source) {
  return probe(&result, ex::prop(ex::get_stop_token, source.get_token()));
}
void wait_for_end(const outcome& result) {
  while (result.num_completions() == 0) {
    weft::this_task::yield();
  }
}

class Waiting : public weft::test::OnWorkers {};

lazy_task<clock::duration> slept(clock::duration duration) {
  const auto begin = clock::now();
  co_await sleep_for(duration);
  co_return clock::now() - begin;
}

TEST_P(Waiting, a_coroutine_sleeps) {
  runtime_.run([] {
    EXPECT_GE(weft::blocking_wait(slept(2ms)), 2ms);
    std::vector<weft::future<clock::duration>> all;
    all.reserve(100);
    for (int i = 0; i < 100; ++i) {  // none keeps a worker
      all.push_back(weft::async(slept(std::chrono::milliseconds(i % 5))));
    }
    for (int i = 0; i < 100; ++i) {
      EXPECT_GE(all[static_cast<std::size_t>(i)].get(), std::chrono::milliseconds(i % 5));
    }
  });
}

ex::task<bool> slept_until(clock::time_point limit) {
  co_await sleep_until(limit);
  co_return clock::now() >= limit;
}
weft::future<int> future_after(clock::duration duration) {
  co_await weft::execution::as_future(sleep_for(duration));
  co_return 1;
}

TEST(Sleep, in_other_coroutines_and_as_a_sender) {
  EXPECT_TRUE(std::get<0>(ex::sync_wait(slept_until(clock::now() + 1ms)).value()));
  EXPECT_EQ(future_after(1ms).get(), 1);
  const auto limit = std::chrono::system_clock::now() + 1ms;
  EXPECT_EQ(std::get<0>(ex::sync_wait(sleep_until(limit) | ex::then([] { return 2; })).value()), 2);
  EXPECT_TRUE(ex::sync_wait(sleep_for(-1h)).has_value()) << "a time that is over";
  EXPECT_TRUE(ex::sync_wait(sleep_for(0s)).has_value());
}

TEST(Sleep, completes_on_the_scheduler_it_is_given) {
  weft::runtime pool(with_workers(1));
  const auto worker = pool.run([] { return std::this_thread::get_id(); });
  const auto where = ex::sync_wait(sleep_for(pool.get_scheduler(), 1ms) |
                                   ex::then([] { return std::this_thread::get_id(); }));
  EXPECT_EQ(std::get<0>(where.value()), worker);
}

TEST(Sleep, its_completions_say_whether_it_can_be_stopped) {
  using sleep = decltype(sleep_for(1s));
  EXPECT_TRUE((std::is_same_v<ex::completion_signatures_of_t<sleep, ex::env<>>,
                              ex::completion_signatures<ex::set_value_t()>>));
  EXPECT_TRUE((std::is_same_v<ex::completion_signatures_of_t<sleep>,
                              ex::completion_signatures<ex::set_value_t(), ex::set_stopped_t()>>));
}

TEST_P(Waiting, a_stop_ends_a_sleep_at_once) {
  runtime_.run([] {
    weft::inplace_stop_source source;
    outcome result;
    auto operation = ex::connect(sleep_for(std::chrono::hours::max()), probe_with(result, source));
    operation.start();
    EXPECT_EQ(result.num_completions(), 0);
    source.request_stop();
    wait_for_end(result);
    EXPECT_EQ(result.num_stops, 1);

    outcome late;
    auto second = ex::connect(sleep_for(for_ever), probe_with(late, source));
    second.start();
    EXPECT_EQ(late.num_stops, 1) << "stopped before it began";
  });
}

TEST(Sleep, the_end_of_a_runtime_waits_for_it) {
  outcome result;
  auto started = [&](auto to) { return ex::connect(sleep_for(5ms), std::move(to)); };
  auto operation = started(probe(&result));
  {
    weft::runtime pool(with_workers(2));
    pool.run([&] { operation.start(); });
  }
  EXPECT_EQ(result.num_values, 1);
}

/// A stop that races with the alarm: one of them ends the operation, once.
TEST_P(Waiting, timers_fire_while_they_are_cancelled) {
  constexpr int rounds = 1000;
  int num_values = 0;
  int num_stops = 0;
  runtime_.run([&] {
    std::minstd_rand random(1);
    for (int i = 0; i < rounds; ++i) {
      weft::inplace_stop_source source;
      outcome result;
      const auto limit = clock::now() + std::chrono::microseconds(random() % 60);
      auto operation = ex::connect(sleep_until(limit), probe_with(result, source));
      operation.start();
      while (clock::now() < limit - 5us) {
      }
      source.request_stop();
      wait_for_end(result);
      num_values += result.num_values;
      num_stops += result.num_stops;
    }
  });
  EXPECT_EQ(num_values + num_stops, rounds);
}

/// One of many that are only counted.
struct counted {
  using receiver_concept = ex::receiver_tag;
  void set_value() noexcept { ++*num_values; }
  void set_stopped() noexcept { ++*num_stops; }
  [[nodiscard]] auto get_env() const noexcept {
    return ex::prop(ex::get_stop_token, source->get_token());
  }
  std::atomic<int>* num_values;
  std::atomic<int>* num_stops;
  const weft::inplace_stop_source* source;
};

TEST_P(Waiting, ten_thousand_timers_and_half_of_them_are_stopped) {
  constexpr int count = 10000;
  using sleep = decltype(sleep_for(1us));
  /// Operations do not move.
  struct operation {
    operation(std::chrono::microseconds time, const counted& to)
        : inner(ex::connect(sleep_for(time), to)) {}
    ex::connect_result_t<sleep, counted> inner;
  };
  weft::inplace_stop_source source;
  weft::inplace_stop_source never;
  std::atomic<int> num_values{0};
  std::atomic<int> num_stops{0};
  std::list<operation> all;
  const auto begin = clock::now();
  runtime_.run([&] {
    for (int i = 0; i < count; ++i) {
      const auto time = i % 2 == 0 ? std::chrono::microseconds(i * 7919 % 20000) : for_ever;
      all.emplace_back(time, counted{&num_values, &num_stops, i % 2 == 0 ? &never : &source})
          .inner.start();
    }
    source.request_stop();
    while (num_values + num_stops != count) {
      weft::this_task::yield();
    }
  });
  EXPECT_EQ(num_values, count / 2);
  EXPECT_EQ(num_stops, count / 2);
  EXPECT_GE(clock::now() - begin, 19ms);
}

TEST(ChannelSenders, give_what_is_there_and_wait_for_what_is_not) {
  channel<int> numbers(1);
  EXPECT_TRUE(ex::sync_wait(numbers.async_send(1)).has_value());
  outcome sent;
  auto second = ex::connect(numbers.async_send(2), probe(&sent));
  second.start();
  EXPECT_EQ(sent.num_completions(), 0) << "it is full";
  EXPECT_EQ(std::get<0>(ex::sync_wait(numbers.async_receive()).value()), 1);
  wait_for_end(sent);
  EXPECT_EQ(numbers.receive(), 2);

  outcome received;
  auto third = ex::connect(numbers.async_receive(), probe(&received));
  third.start();
  EXPECT_EQ(received.num_completions(), 0) << "it is empty";
  numbers.send(3);
  wait_for_end(received);
  EXPECT_EQ(received.value, 3);
  EXPECT_EQ(numbers.try_receive(), std::nullopt);
}

TEST(ChannelSenders, closing_ends_the_waits_of_all) {
  channel<int> full(1);
  channel<int> empty;
  full.send(1);
  outcome sending;
  outcome receiving;
  auto send = ex::connect(full.async_send(2), probe(&sending));
  auto receive = ex::connect(empty.async_receive(), probe(&receiving));
  auto next = weft::execution::as_future(empty.async_next());
  auto in_time = weft::execution::as_future(empty.async_receive_for(for_ever));
  send.start();
  receive.start();
  full.close();
  empty.close();
  wait_for_end(sending);
  wait_for_end(receiving);

  EXPECT_NE(sending.error.find("send on a closed channel"), std::string::npos) << sending.error;
  EXPECT_NE(receiving.error.find("receive on a closed"), std::string::npos) << receiving.error;
  EXPECT_EQ(next.get(), std::nullopt);
  EXPECT_THROW(in_time.get(), weft::channel_closed);
  EXPECT_EQ(std::get<0>(ex::sync_wait(full.async_receive()).value()), 1) << "sent before";
  EXPECT_THROW(static_cast<void>(ex::sync_wait(full.async_receive())), weft::channel_closed);
  EXPECT_EQ(std::get<0>(ex::sync_wait(full.async_next()).value()), std::nullopt);
  EXPECT_THROW(static_cast<void>(ex::sync_wait(full.async_send(3))), weft::channel_closed);
}

TEST(ChannelSenders, whoever_is_stopped_has_neither_taken_nor_sent) {
  channel<std::string> words(1);
  weft::inplace_stop_source source;
  outcome received;
  auto receive = ex::connect(words.async_receive(), probe_with(received, source));
  receive.start();
  source.request_stop();
  wait_for_end(received);
  EXPECT_EQ(received.num_stops, 1);
  words.send("kept");

  weft::inplace_stop_source other;
  outcome sent;
  auto send = ex::connect(words.async_send("unsent"), probe_with(sent, other));
  send.start();
  other.request_stop();
  wait_for_end(sent);
  EXPECT_EQ(sent.num_stops, 1);
  EXPECT_EQ(words.receive(), "kept");
  EXPECT_EQ(words.try_receive(), std::nullopt);
}

TEST(ChannelSenders, a_time_limit_leaves_the_message_that_comes_later) {
  channel<std::unique_ptr<int>> channel;
  EXPECT_EQ(std::get<0>(ex::sync_wait(channel.async_receive_for(1ms)).value()), std::nullopt);
  const auto limit = clock::now() + 1ms;
  EXPECT_EQ(std::get<0>(ex::sync_wait(channel.async_receive_until(limit)).value()), std::nullopt);
  channel.send(std::make_unique<int>(1));
  auto received = ex::sync_wait(channel.async_receive_for(for_ever));
  EXPECT_EQ(**std::get<0>(received.value()), 1);
}

/// Cannot be moved for the n-th time.
struct fragile {
  explicit fragile(int* left) : moves_left(left) {}
  // NOLINTNEXTLINE(performance-noexcept-move-constructor): it fails
  fragile(fragile&& other) : moves_left(other.moves_left) {
    if (--*moves_left < 0) {
      throw std::runtime_error("does not move");
    }
  }
  fragile& operator=(fragile&&) = delete;
  ~fragile() = default;
  int* moves_left;
};

TEST(ChannelSenders, what_cannot_be_moved_to_the_receiver_stays) {
  channel<fragile> channel;
  int moves_left = 100;
  channel.send(fragile(&moves_left));
  moves_left = 0;
  EXPECT_THROW(static_cast<void>(ex::sync_wait(channel.async_receive())), std::runtime_error);
  moves_left = 100;
  EXPECT_TRUE(ex::sync_wait(channel.async_receive()).has_value());

  outcome received;
  auto waits = ex::connect(channel.async_receive(), probe(&received));
  waits.start();
  fragile late(&moves_left);
  moves_left = 1;  // into the queue, but not out of it
  EXPECT_TRUE(channel.try_send(std::move(late)));
  wait_for_end(received);
  EXPECT_EQ(received.error, "does not move");
  moves_left = 100;
  EXPECT_TRUE(channel.try_receive().has_value());
}

lazy_task<std::string> tells(channel<std::string>& messages) {
  for (;;) {
    auto first = co_await select(messages.async_receive(), sleep_for(1ms));
    if (first.index() == 0) {
      co_return std::get<0>(std::move(first));
    }
    if (messages.is_closed()) {
      co_return "closed";
    }
  }
}

TEST_P(Waiting, a_message_a_timeout_or_a_stop) {
  runtime_.run([] {
    channel<std::string> messages;
    weft::future<std::string> told = weft::async(tells(messages));
    weft::blocking_wait(slept(3ms));
    messages.send("a message that is too long to lie in the string itself");
    EXPECT_EQ(told.get().size(), 54U);

    weft::inplace_stop_source source;
    outcome result;
    auto operation = ex::connect(tells(messages), probe_with(result, source));
    operation.start();
    source.request_stop();
    wait_for_end(result);
    EXPECT_EQ(result.num_stops, 1);

    messages.send("last");
    messages.close();
    EXPECT_EQ(weft::blocking_wait(tells(messages)), "last");
    EXPECT_THROW(weft::blocking_wait(tells(messages)), weft::channel_closed);
  });
}

lazy_task<std::size_t> sends_words(channel<std::string>& out, std::size_t count) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    co_await out.async_send(std::string(i % 60, 'x'));
    total += i % 60;
  }
  out.close();
  co_return total;
}
lazy_task<std::size_t> counts_letters(channel<std::string>& in) {
  std::size_t total = 0;
  while (const auto word = co_await in.async_next()) {
    total += word->size();
  }
  co_return total;
}

TEST_P(Waiting, coroutines_pass_values_on) {
  runtime_.run([] {
    channel<std::string> words(3);
    weft::future<std::size_t> received = weft::async(counts_letters(words));
    const std::size_t sent = weft::blocking_wait(sends_words(words, 500));
    EXPECT_EQ(received.get(), sent);
  });
}

TEST(Select, of_several_that_are_ready_the_first_wins_and_the_others_keep_what_they_have) {
  channel<int> a;
  channel<std::string> b;
  a.send(1);
  b.send("b");
  const auto both = [&] { return select(a.async_receive(), b.async_receive(), ex::just()); };

  EXPECT_EQ(std::get<0>(std::get<0>(ex::sync_wait(both()).value())), 1);
  EXPECT_EQ(std::get<1>(std::get<0>(ex::sync_wait(both()).value())), "b");
  EXPECT_EQ(std::get<0>(ex::sync_wait(both()).value()).index(), 2U);
}

TEST(Select, tells_nothing_one_value_and_several_apart) {
  using some = decltype(select(ex::just(), ex::just(1), ex::just(1, 'x'), ex::just_stopped()));
  using sent = std::variant<std::monostate, int, std::tuple<int, char>, std::monostate>;
  EXPECT_TRUE(
      (std::is_same_v<ex::completion_signatures_of_t<some>,
                      ex::completion_signatures<ex::set_value_t(sent), ex::set_stopped_t()>>));
  EXPECT_FALSE(ex::sync_wait(select(ex::just_stopped())).has_value());
}

TEST(Select, an_inner_choice_counts_only_if_the_outer_one_does) {
  channel<int> empty;
  channel<int> full;
  const auto either =
      ex::when_any(ex::when_any(empty.async_receive(), sleep_for(for_ever)), full.async_receive());
  full.send(1);
  EXPECT_EQ(std::get<0>(ex::sync_wait_with_variant(either).value()), std::tuple(1));
  empty.send(2);
  EXPECT_EQ(empty.try_receive(), 2) << "not taken by who lost";
}

/// A message that begins something longer does not decide; nor does one of several that are needed.
TEST(WhenAny, only_an_end_decides) {
  channel<int> a;
  channel<int> b;
  a.send(1);
  const auto handled = a.async_receive() | ex::let_value([](int&) { return sleep_for(for_ever); });
  EXPECT_TRUE(ex::sync_wait(ex::when_any(handled, sleep_for(1ms))).has_value());

  a.send(1);
  const auto pair = ex::when_all(a.async_receive(), b.async_receive()) | ex::then([](int, int) {});
  EXPECT_TRUE(ex::sync_wait(ex::when_any(pair, sleep_for(1ms))).has_value());
}

constexpr int num_messages = 1500;

lazy_task<void> receives_from_two(channel<int>& a,
                                  channel<int>& b,
                                  std::array<std::atomic<int>, num_messages>& counts,
                                  unsigned seed) {
  std::minstd_rand random(seed);
  const auto count = [&](int value) { ++counts.at(static_cast<std::size_t>(value)); };
  for (;;) {
    const std::chrono::microseconds limit(random() % 30);
    auto first = co_await select(a.async_next(), sleep_for(limit), b.async_next());
    if (first.index() == 1) {
      continue;
    }
    const std::optional<int>& value = first.index() == 0 ? std::get<0>(first) : std::get<2>(first);
    if (!value) {
      break;
    }
    count(*value);
  }
  while (const auto value = co_await a.async_next()) {
    count(*value);
  }
  while (const auto value = co_await b.async_next()) {
    count(*value);
  }
}

/// Sends what it can before a time, again and again; some give up.
lazy_task<void> sends_in_time(channel<int>& a, channel<int>& b, int first, int last) {
  std::minstd_rand random(static_cast<unsigned>(first + 1));
  for (int i = first; i < last;) {
    const std::chrono::microseconds limit(random() % 30);
    auto sent = co_await select(a.async_send(i), b.async_send(i), sleep_for(limit));
    i += sent.index() == 2 ? 0 : 1;
  }
}

/// Messages, timeouts and stops at random times: every message arrives, and arrives once.
TEST_P(Waiting, no_message_is_lost_or_doubled) {
  channel<int> a(2);
  channel<int> b;
  std::array<std::atomic<int>, num_messages> counts{};
  runtime_.run([&] {
    std::vector<weft::future<void>> receivers;
    receivers.reserve(3);
    for (unsigned i = 0; i < 3; ++i) {
      receivers.push_back(weft::async(receives_from_two(a, b, counts, i + 1)));
    }
    std::thread stranger([&] {  // an OS thread among coroutines
      while (const auto value = a.next()) {
        ++counts.at(static_cast<std::size_t>(*value));
      }
    });
    std::vector<weft::future<void>> senders;
    senders.reserve(3);
    for (int i = 0; i < 3; ++i) {
      senders.push_back(
          weft::async(sends_in_time(a, b, i * num_messages / 3, (i + 1) * num_messages / 3)));
    }
    for (auto& each : senders) {
      each.get();
    }
    a.close();
    b.close();
    for (auto& each : receivers) {
      each.get();
    }
    stranger.join();
  });
  EXPECT_TRUE(std::ranges::all_of(counts, [](const auto& each) { return each == 1; }));
}

/// Stop requests race with messages: what is stopped leaves the message in the channel.
TEST_P(Waiting, a_stop_that_races_with_a_message_does_not_lose_it) {
  constexpr int rounds = 500;
  int num_received = 0;
  int num_left = 0;
  runtime_.run([&] {
    for (int i = 0; i < rounds; ++i) {
      channel<int> numbers;
      weft::inplace_stop_source source;
      outcome result;
      auto operation = ex::connect(numbers.async_receive(), probe_with(result, source));
      operation.start();
      weft::fork_join([&] { numbers.send(1); }, [&] { source.request_stop(); });
      wait_for_end(result);
      num_received += result.value;
      num_left += numbers.try_receive().value_or(0);
    }
  });
  EXPECT_EQ(num_received + num_left, rounds);
}

INSTANTIATE_TEST_SUITE_P(Workers, Waiting, ::testing::Values(1, 2, 4));

}  // namespace waiting_test
