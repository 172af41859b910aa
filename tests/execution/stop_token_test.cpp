// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stop sources: callbacks are called once, in whatever order they come and go.
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <numeric>
#include <optional>
#include <thread>

#include <gtest/gtest.h>

#include "weft/execution.hpp"

namespace weft {
namespace stop_token_test {

struct count_up {
  void operator()() const noexcept { ++*count; }
  std::atomic<int>* count;
};
using callback = inplace_stop_callback<count_up>;

TEST(StopToken, concepts_hold) {
  EXPECT_TRUE(stoppable_token<inplace_stop_token>);
  EXPECT_FALSE(unstoppable_token<inplace_stop_token>);
  EXPECT_TRUE(unstoppable_token<never_stop_token>);
}

TEST(StopToken, callbacks_are_called_once) {
  inplace_stop_source source;
  std::atomic<int> count = 0;
  const callback one(source.get_token(), count_up{&count});
  {
    const callback gone(source.get_token(), count_up{&count});
  }
  const callback two(source.get_token(), count_up{&count});

  EXPECT_FALSE(source.get_token().stop_requested());
  EXPECT_TRUE(source.request_stop());
  EXPECT_FALSE(source.request_stop());

  EXPECT_EQ(count, 2);
  EXPECT_TRUE(source.get_token().stop_requested());
  const callback late(source.get_token(), count_up{&count});
  EXPECT_EQ(count, 3);
}

TEST(StopToken, a_default_token_never_stops) {
  const inplace_stop_token token;
  EXPECT_FALSE(token.stop_possible());
  std::atomic<int> count = 0;
  const callback never(token, count_up{&count});
  EXPECT_EQ(count, 0);
}

TEST(StopToken, a_callback_may_remove_itself_and_others) {
  inplace_stop_source source;
  struct remove_both {
    void operator()() const noexcept {
      self->reset();
      other->reset();
    }
    std::optional<inplace_stop_callback<remove_both>>* self;
    std::optional<callback>* other;
  };
  std::atomic<int> count = 0;
  std::optional<inplace_stop_callback<remove_both>> self;
  std::optional<callback> other;
  other.emplace(source.get_token(), count_up{&count});
  self.emplace(source.get_token(), remove_both{&self, &other});

  source.request_stop();

  EXPECT_EQ(count, 0);
  EXPECT_FALSE(self.has_value());
}

TEST(StopToken, a_callback_may_destroy_its_source) {
  auto source = std::make_unique<inplace_stop_source>();
  struct destroy_both {
    void operator()() const noexcept {
      const destroy_both mine = *this;  // which ends with the callback
      mine.self->reset();
      mine.source->reset();
    }
    std::optional<inplace_stop_callback<destroy_both>>* self;
    std::unique_ptr<inplace_stop_source>* source;
  };
  std::optional<inplace_stop_callback<destroy_both>> self;
  self.emplace(source->get_token(), destroy_both{&self, &source});

  EXPECT_TRUE(source->request_stop());
  EXPECT_EQ(source, nullptr);
}

TEST(StopToken, callbacks_come_and_go_while_stop_is_requested) {
  constexpr int rounds = 200;
  constexpr std::size_t num_callbacks = 8;
  constexpr int num_kept = 5;  // the others go before stop is requested, or meanwhile
  for (int round = 0; round < rounds; ++round) {
    inplace_stop_source source;
    std::array<std::atomic<int>, num_callbacks> counts{};
    std::atomic<bool> is_ready = false;
    std::atomic<bool> is_asked = false;
    std::thread registers([&] {
      std::array<std::optional<callback>, num_callbacks> all;
      is_ready = true;
      for (std::size_t i = 0; i < num_callbacks; ++i) {
        all.at(i).emplace(source.get_token(), count_up{&counts.at(i)});
        if (i % 3 == 0) {
          all.at(i / 2).reset();
        }
      }
      while (!is_asked) {
        std::this_thread::yield();
      }
      for (std::size_t i = 0; i < num_callbacks; ++i) {
        EXPECT_LE(counts.at(i), 1);
        EXPECT_TRUE(counts.at(i) == 1 || !all.at(i).has_value());
      }
    });
    while (!is_ready) {
      std::this_thread::yield();
    }
    EXPECT_TRUE(source.request_stop());
    is_asked = true;
    registers.join();

    const int num_calls = std::accumulate(counts.begin(), counts.end(), 0);
    EXPECT_GE(num_calls, num_kept);
    EXPECT_FALSE(source.request_stop());
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0), num_calls);
  }
}

}  // namespace stop_token_test
}  // namespace weft
