// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many calls between the ranks of an MPI job: random sizes, exceptions, stop requests, and
// objects that move meanwhile.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/distributed.hpp"
#include "weft/execution.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/mutex.hpp"
#include "weft/tasks/stop_token.hpp"
#include "weft/tasks/task_group.hpp"
#include "weft/tasks/this_task.hpp"

#include "distributed/memory.hpp"

namespace wd = weft::distributed;

namespace mpi_endurance_test {
namespace {

using byte_vector = std::vector<std::uint8_t>;

byte_vector shifted(byte_vector bytes, int by) {
  if (by % 13 == 0) {
    throw std::out_of_range(std::to_string(by));
  }
  for (std::uint8_t& each : bytes) {
    each = static_cast<std::uint8_t>(each + by);
  }
  return bytes;
}

/// Ends with a number, or sooner if a stop is requested.
int spin(int number) {
  for (int i = 0; i < 20 && !weft::this_task::stop_requested(); ++i) {
    weft::this_task::yield();
  }
  return number;
}

class tally {
 public:
  long add(long by) {
    const std::lock_guard guard(mutex_);
    return sum_ += by;
  }

 private:
  friend class wd::archive_access;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(sum_);
  }
  weft::mutex mutex_;
  long sum_ = 0;
};

/// Makes calls from one rank, and counts wrong answers.
class caller {
 public:
  explicit caller(unsigned seed) : random_(seed) {
    for (int i = 0; i < 10; ++i) {
      objects_.push_back(wd::make_remote<tally>(somewhere()).get());
      sums_.push_back(0);
    }
  }

  void make(int num_calls) {
    constexpr int at_once = 100;
    for (int i = 0; i < num_calls; i += at_once) {
      for (int j = 0; j < at_once; ++j) {
        start();
      }
      check();
    }
  }
  [[nodiscard]] long num_wrong() const { return num_wrong_; }
  [[nodiscard]] long num_stopped() const { return num_stopped_; }
  [[nodiscard]] long num_moves() const { return num_moves_; }
  /// Returns whether the objects counted all calls, wherever they are now.
  [[nodiscard]] bool objects_are_right() {
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      if (objects_[i].async<&tally::add>(0L).get() != sums_[i]) {
        return false;
      }
    }
    return true;
  }

 private:
  struct shift_call {
    weft::future<byte_vector> answer;
    byte_vector expected;
    int by;
  };
  struct spin_call {
    weft::future<int> answer;
    int number;
  };

  int below(int end) { return static_cast<int>(random_() % static_cast<unsigned>(end)); }
  wd::locality somewhere() { return wd::locality(below(wd::num_localities())); }

  void start() {
    switch (below(10)) {
      case 0:
        start_spin();
        return;
      case 1:
        start_add();
        return;
      default:
        start_shift();
    }
  }
  void start_shift() {
    const int by = below(1000);
    const int size = below(256) == 0 ? below(60'000) : below(200);
    byte_vector bytes(static_cast<std::size_t>(size), static_cast<std::uint8_t>(random_()));
    byte_vector expected = bytes;
    std::ranges::for_each(
        expected, [by](std::uint8_t& each) { each = static_cast<std::uint8_t>(each + by); });
    shifts_.push_back({.answer = wd::async<&shifted>(somewhere(), std::move(bytes), by),
                       .expected = std::move(expected),
                       .by = by});
  }
  void start_spin() {
    weft::stop_source source;
    const int number = below(1000);
    spins_.push_back(
        {.answer = wd::async<&spin>(wd::stoppable(somewhere(), source.get_token()), number),
         .number = number});
    if (below(2) == 0) {
      source.request_stop();
    }
  }
  void start_add() {
    const auto which = static_cast<std::size_t>(below(static_cast<int>(objects_.size())));
    const int by = below(100);
    sums_[which] += by;
    adds_.push_back(objects_[which].async<&tally::add>(static_cast<long>(by)));
    if (below(50) == 0) {
      moves_.push_back(wd::migrate(objects_[which], somewhere()));
      ++num_moves_;
    }
  }

  void check() {
    for (shift_call& each : shifts_) {
      num_wrong_ += is_right(each) ? 0 : 1;
    }
    for (spin_call& each : spins_) {
      try {
        num_wrong_ += each.answer.get() == each.number ? 0 : 1;
      } catch (const weft::execution::operation_stopped&) {
        ++num_stopped_;
      }
    }
    std::ranges::for_each(adds_, [](auto& each) { static_cast<void>(each.get()); });
    std::ranges::for_each(moves_, [](auto& each) { each.get(); });
    shifts_.clear();
    spins_.clear();
    adds_.clear();
    moves_.clear();
  }
  static bool is_right(shift_call& call) {
    try {
      return call.answer.get() == call.expected && call.by % 13 != 0;
    } catch (const std::out_of_range& raised) {
      return call.by % 13 == 0 && raised.what() == std::to_string(call.by);
    }
  }

  std::mt19937 random_;
  std::vector<wd::remote<tally>> objects_;
  std::vector<long> sums_;
  std::vector<shift_call> shifts_;
  std::vector<spin_call> spins_;
  std::vector<weft::future<long>> adds_;
  std::vector<weft::future<void>> moves_;
  long num_wrong_ = 0;
  long num_stopped_ = 0;
  long num_moves_ = 0;
};

void expect_right_calls(int num_calls) {
  const wd::runtime job;
  {
    caller calls(static_cast<unsigned>(wd::here().rank() + 1));
    const int a_tenth = num_calls / 10 / wd::num_localities();
    calls.make(a_tenth);
    wd::quiescence().get();
    const long peak_before = weft::test::peak_kib();
    const long heap_before = weft::test::heap_kib();

    calls.make(9 * a_tenth);
    wd::quiescence().get();

    EXPECT_EQ(calls.num_wrong(), 0);
    EXPECT_GT(calls.num_stopped(), 0);
    EXPECT_GT(calls.num_moves(), 0);
    EXPECT_TRUE(calls.objects_are_right());
    if constexpr (!weft::test::keeps_freed_memory) {
      EXPECT_LE(weft::test::peak_kib(), peak_before + 32L * 1024);
    }
    EXPECT_LE(weft::test::heap_kib(), heap_before + 4L * 1024);
  }
  wd::quiescence().get();
}

}  // namespace

TEST(MpiEndurance, random_calls_are_right_in_constant_memory) { expect_right_calls(20'000); }

TEST(MpiEndurance, a_million_calls_are_right_in_constant_memory) { expect_right_calls(1'000'000); }

}  // namespace mpi_endurance_test
