// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Channels: order, bounds, closing, many senders and receivers.
#include "weft/tasks/channel.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "weft/base/error.hpp"

#include "tasks/on_workers.hpp"

namespace channel_test {

using namespace std::chrono_literals;

class Channel : public weft::test::OnWorkers {};

void every_value_arrives_once_through(const auto& run, std::size_t capacity) {
  constexpr int num_senders = 4;
  constexpr int num_values = 200;
  weft::channel<int> channel(capacity);
  std::atomic<int> num_sending{num_senders};
  std::array<std::atomic<int>, static_cast<std::size_t>(num_senders) * num_values> num_received{};

  run(2 * num_senders, [&](int i) {
    if (i >= num_senders) {
      for (const int value : channel) {
        ++num_received.at(static_cast<std::size_t>(value));
      }
      return;
    }
    for (int n = 0; n < num_values; ++n) {
      channel.set(i * num_values + n);
    }
    if (--num_sending == 0) {
      channel.close();
    }
  });

  for (const auto& count : num_received) {
    ASSERT_EQ(count, 1);
  }
}

TEST_P(Channel, every_value_arrives_once) {
  for (const std::size_t capacity :
       {std::size_t{1}, std::size_t{7}, weft::channel<int>::unbounded}) {
    every_value_arrives_once_through(
        [&](int count, const auto& body) { run_tasks_and_threads(count, body); }, capacity);
  }
}

TEST_P(Channel, one_sender_and_one_receiver_keep_the_order) {
  weft::channel<int> channel(3);

  run_tasks(2, [&](int i) {
    if (i == 0) {
      for (int n = 0; n < 500; ++n) {
        channel.set(n);
      }
      channel.close();
      return;
    }
    int expected = 0;
    for (const int value : channel) {
      ASSERT_EQ(value, expected++);
    }
    EXPECT_EQ(expected, 500);
  });
}

TEST_P(Channel, a_pipeline_of_three_stages) {
  weft::channel<int> numbers(2);
  weft::channel<long> squares(2);
  long sum = 0;

  run_tasks(3, [&](int stage) {
    if (stage == 0) {
      for (int n = 1; n <= 100; ++n) {
        numbers.set(n);
      }
      numbers.close();
    } else if (stage == 1) {
      for (const int n : numbers) {
        squares.set(long{n} * n);
      }
      squares.close();
    } else {
      for (const long square : squares) {
        sum += square;
      }
    }
  });

  EXPECT_EQ(sum, 100 * 101 * 201 / 6);
}

TEST_P(Channel, closing_ends_the_waits_of_all) {
  weft::channel<int> full(1);
  weft::channel<int> empty;
  full.set(1);

  run_tasks_and_threads(7, [&](int i) {
    if (i == 6) {
      full.close();
      empty.close();
    } else if (i < 3) {
      EXPECT_THROW(full.set(2), weft::channel_closed);
    } else {
      EXPECT_THROW(static_cast<void>(empty.get()), weft::channel_closed);
    }
  });

  EXPECT_TRUE(full.is_closed());
  EXPECT_EQ(full.get(), 1) << "sent before it was closed";
  EXPECT_EQ(full.next(), std::nullopt);
}

TEST_P(Channel, waits_end_when_the_time_is_up_and_nothing_is_lost) {
  weft::channel<std::unique_ptr<int>> channel(1);

  run_tasks_and_threads(2, [&](int i) {
    if (i == 0) {
      return;
    }
    EXPECT_EQ(channel.receive_for(1ms), std::nullopt);
    EXPECT_EQ(channel.receive_until(std::chrono::system_clock::now() + 1ms), std::nullopt);
    EXPECT_TRUE(channel.send_for(std::make_unique<int>(1), 1h));
    auto second = std::make_unique<int>(2);
    EXPECT_FALSE(channel.send_for(std::move(second), 1ms));
    EXPECT_FALSE(channel.send_until(std::move(second), std::chrono::steady_clock::now()));
    ASSERT_NE(second, nullptr) << "not moved from when the time was up";
    EXPECT_EQ(**channel.receive_for(0s), 1);
    channel.send(std::move(second));
    EXPECT_EQ(**channel.receive_for(1h), 2);
    channel.close();
    EXPECT_THROW(static_cast<void>(channel.receive_for(1h)), weft::channel_closed);
    EXPECT_THROW(static_cast<void>(channel.send_for(std::make_unique<int>(3), 1h)),
                 weft::channel_closed);
  });
}

/// Messages and time limits that end at the same moments: each message arrives, and arrives once.
TEST_P(Channel, time_limits_race_with_messages) {
  constexpr int num_values = 400;
  weft::channel<int> channel(1);
  std::array<std::atomic<int>, num_values> num_received{};

  run_tasks_and_threads(4, [&](int i) {
    if (i < 2) {
      for (int n = i; n < num_values; n += 2) {
        while (!channel.send_for(int(n), std::chrono::microseconds(n % 40))) {
        }
      }
      return;
    }
    for (int n = i; n < num_values + 2;) {
      if (const auto value = channel.receive_for(std::chrono::microseconds(n % 40))) {
        ++num_received.at(static_cast<std::size_t>(*value));
        n += 2;
      }
    }
  });

  for (const auto& count : num_received) {
    ASSERT_EQ(count, 1);
  }
}

TEST(ChannelCalls, that_do_not_wait) {
  weft::channel<std::unique_ptr<int>> channel(1);
  auto first = std::make_unique<int>(1);
  auto second = std::make_unique<int>(2);

  EXPECT_EQ(channel.try_get(), std::nullopt);
  EXPECT_TRUE(channel.try_set(std::move(first)));
  EXPECT_FALSE(channel.try_set(std::move(second)));
  ASSERT_NE(second, nullptr) << "not moved from when there is no room";
  EXPECT_EQ(**channel.try_get(), 1);
  channel.close();
  EXPECT_FALSE(channel.try_set(std::move(second)));
}

TEST(ChannelCalls, have_the_names_of_hpx_too) {
  weft::channel<int> channel(2);
  channel.set(1);
  EXPECT_TRUE(channel.try_send(2));
  EXPECT_EQ(channel.get(), 1);
  EXPECT_EQ(channel.try_receive(), 2);
}

TEST(ChannelCalls, room_for_nothing_is_an_error) {
  EXPECT_THROW(weft::channel<int>(0), weft::error);
}

WEFT_TEST_ON_WORKERS(Channel);

}  // namespace channel_test
