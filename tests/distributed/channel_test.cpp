// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Channels between ranks.
#include "weft/distributed/channel.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "weft/base/error.hpp"
#include "weft/distributed/async.hpp"
#include "weft/distributed/collectives.hpp"
#include "weft/distributed/locality.hpp"
#include "weft/distributed/names.hpp"
#include "weft/tasks/async.hpp"
#include "weft/tasks/channel.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/this_task.hpp"

#include "tests/distributed/ranks.hpp"

namespace wd = weft::distributed;

namespace channel_test {
namespace {

weft::test::ranks_options delayed(int size) {
  weft::test::ranks_options options;
  options.size = size;
  options.longest_delay = std::chrono::microseconds(100);
  return options;
}

void send_numbers(const wd::channel<int>& to, int count) {
  for (int i = 0; i < count; ++i) {
    to.send(i);
  }
  to.close().get();
}

}  // namespace

TEST(DistributedChannel, values_arrive_in_order) {
  weft::test::ranks job(delayed(2));

  job.run([] {
    if (wd::here().rank() == 0) {
      for (const std::size_t capacity : {std::size_t{1}, std::size_t{7}}) {
        const auto numbers = wd::make_channel<int>(wd::here(), capacity).get();
        auto sent = wd::async<&send_numbers>(wd::locality(1), numbers, 300);
        for (int i = 0; i < 300; ++i) {
          EXPECT_EQ(numbers.receive().get(), i);
        }
        EXPECT_EQ(numbers.next().get(), std::nullopt);
        EXPECT_THROW(numbers.receive().get(), weft::channel_closed);
        sent.get();
      }
    }
  });
}

TEST(DistributedChannel, a_sender_waits_for_credit) {
  weft::test::ranks job(delayed(2));

  job.run([] {
    if (wd::here().rank() == 0) {
      constexpr int capacity = 4;
      const auto numbers = wd::make_channel<int>(wd::locality(1), capacity).get();
      std::atomic<int> num_sent{0};
      auto sender = weft::async([&] {
        for (int i = 0; i < 100; ++i) {
          numbers.send(i);
          ++num_sent;
        }
      });
      weft::this_task::sleep_for(std::chrono::milliseconds(20));
      EXPECT_LE(num_sent, 2 * capacity);
      for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(numbers.receive().get(), i);  // by a rank that is not the owner
        EXPECT_LE(num_sent, i + 1 + 2 * capacity);
      }
      sender.get();
      numbers.flush().get();
    }
  });
}

TEST(DistributedChannel, all_ranks_send_to_one_that_they_find_by_name) {
  weft::test::ranks job(delayed(3));

  job.run([] {
    const int rank = wd::here().rank();
    if (rank == 0) {
      wd::register_name("sums", wd::make_channel<std::string>(wd::here(), 3).get(), wd::here())
          .get();
    }
    const auto sums = wd::find<wd::channel<std::string>>("sums", wd::locality(0)).get();
    auto senders = weft::async([&sums, rank] {
      for (int i = 0; i < 50; ++i) {
        sums.send(std::to_string(rank));
      }
      sums.flush().get();
    });
    if (rank == 0) {
      std::vector<int> counts(3);
      for (int i = 0; i < 150; ++i) {
        ++counts[static_cast<std::size_t>(std::stoi(sums.receive().get()))];
      }
      EXPECT_EQ(counts, (std::vector<int>{50, 50, 50}));
    }
    senders.get();
    wd::barrier().get();
    if (rank == 0) {
      EXPECT_TRUE(wd::unregister_name("sums", wd::here()).get());
    }
  });
}

TEST(DistributedChannel, closing_ends_senders_and_receivers) {
  weft::test::ranks job(delayed(2));

  job.run([] {
    if (wd::here().rank() == 0) {
      const auto texts = wd::make_channel<std::unique_ptr<int>>(wd::locality(1), 2).get();
      auto waiting = texts.receive();
      texts.send(std::make_unique<int>(5));
      EXPECT_EQ(*waiting.get(), 5);
      waiting = texts.receive();
      texts.close().get();
      EXPECT_THROW(waiting.get(), weft::channel_closed);
      texts.send(nullptr);  // does not know yet
      EXPECT_THROW(texts.flush().get(), weft::channel_closed);
      EXPECT_THROW(texts.send(nullptr), weft::channel_closed);
      texts.close().get();
    }
  });
}

TEST(DistributedChannel, wrong_channels_are_errors) {
  weft::test::ranks job(delayed(2));

  job.run([] {
    EXPECT_THROW(wd::make_channel<int>(wd::locality(1), 0).get(), weft::error);
    EXPECT_THROW(wd::channel<int>().send(1), weft::error);
    EXPECT_THROW(static_cast<void>(wd::channel<int>().receive()), weft::error);
  });
}

}  // namespace channel_test
