// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects, channels and stop requests between ranks of an MPI job.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/distributed.hpp"
#include "weft/distributed/detail/object_table.hpp"
#include "weft/distributed/detail/rank_tables.hpp"
#include "weft/execution/lazy_task.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/stop_token.hpp"
#include "weft/tasks/task_group.hpp"
#include "weft/tasks/this_task.hpp"

#include "distributed/memory.hpp"

namespace wd = weft::distributed;

namespace mpi_objects_test {
namespace {

std::atomic<int> num_alive{0};

class tally {
 public:
  tally() { ++num_alive; }
  tally(const tally&) = delete;
  tally& operator=(const tally&) = delete;
  ~tally() { --num_alive; }

  long add(long by) { return sum_ += by; }
  std::vector<std::uint8_t> changed(std::vector<std::uint8_t> bytes, int seed) {
    ++sum_;
    if (seed % 13 == 0) {
      throw std::out_of_range(std::to_string(seed));
    }
    for (std::uint8_t& each : bytes) {
      each = static_cast<std::uint8_t>(each + seed);
    }
    return bytes;
  }
  void save(wd::output_archive& to) const { to(sum_.load(), large_); }
  void load(wd::input_archive& from) {
    long sum = 0;
    from(sum, large_);
    sum_ = sum;
  }

 private:
  std::atomic<long> sum_{0};
  std::vector<double> large_ = std::vector<double>(5000, 1.0);
};
using handle = wd::remote<tally>;

wd::locality next() { return wd::locality((wd::here().rank() + 1) % wd::num_localities()); }

void expect_nothing_left() {
  wd::quiescence().get();
  EXPECT_EQ(num_alive, 0);
  const auto& all = *wd::detail::engine::current().tables().objects;
  EXPECT_EQ(all.num_objects(), 0U);
  EXPECT_EQ(all.num_entries(), 0U);
}

int until_stopped() {
  while (!weft::this_task::stop_requested()) {
    weft::this_task::yield();
  }
  return wd::here().rank();
}

/// Makes objects, calls, copies, moves and drops them in random order.
class random_work {
 public:
  random_work() : random_(static_cast<unsigned>(wd::here().rank() + 1)) {}

  void run(int num_calls) {
    for (int i = 0; i < num_calls; ++i) {
      step();
      if (answers_.size() == 64) {
        take_answers();
      }
    }
    take_answers();
  }

 private:
  struct started {
    weft::future<std::vector<std::uint8_t>> answer;
    std::vector<std::uint8_t> expected;
    int seed;
    bool may_stop;
  };

  unsigned below(std::size_t limit) { return static_cast<unsigned>(random_() % limit); }
  wd::locality any_rank() {
    return wd::locality(static_cast<int>(below(static_cast<unsigned>(wd::num_localities()))));
  }
  handle& any_handle() { return handles_[below(handles_.size())]; }

  void step() {
    const unsigned kind = below(100);
    if (handles_.size() < 4) {
      handles_.push_back(wd::make_remote<tally>(any_rank()).get());
    } else if (kind == 0) {
      handles_.erase(handles_.begin() + static_cast<std::ptrdiff_t>(below(handles_.size())));
    } else if (kind == 1) {
      wd::migrate(any_handle(), any_rank()).get();
    } else if (kind < 5) {
      any_handle() = wd::async(any_rank(), [](handle same) { return same; }, any_handle()).get();
    } else if (kind < 10) {
      any_handle().post<&tally::add>(1);
    } else {
      call(kind < 20);
    }
  }

  void call(bool may_stop) {
    const int seed = static_cast<int>(below(1000));
    std::vector<std::uint8_t> bytes(below(32) == 0 ? below(60'000) : below(200),
                                    static_cast<std::uint8_t>(below(256)));
    std::vector<std::uint8_t> expected = bytes;
    for (std::uint8_t& each : expected) {
      each = static_cast<std::uint8_t>(each + seed);
    }
    const weft::stop_source stop;
    auto answer = may_stop ? wd::stoppable(any_handle(), stop.get_token())
                                 .async<&tally::changed>(std::move(bytes), seed)
                           : any_handle().async<&tally::changed>(std::move(bytes), seed);
    if (may_stop) {
      stop.request_stop();
    }
    answers_.push_back({std::move(answer), std::move(expected), seed, may_stop});
  }

  void take_answers() {
    for (started& each : answers_) {
      try {
        EXPECT_EQ(each.answer.get(), each.expected);
        EXPECT_NE(each.seed % 13, 0);
      } catch (const std::out_of_range& raised) {
        EXPECT_EQ(raised.what(), std::to_string(each.seed));
      } catch (const weft::execution::operation_stopped&) {
        EXPECT_TRUE(each.may_stop);
      }
    }
    answers_.clear();
  }

  std::mt19937 random_;
  std::vector<handle> handles_;
  std::vector<started> answers_;
};

}  // namespace

TEST(MpiObjects, handles_keep_objects_of_other_ranks) {
  const wd::runtime job;
  {
    const handle mine = wd::make_remote<tally>(next()).get();
    EXPECT_EQ(mine.owner(), next());
    EXPECT_EQ(mine.async<&tally::add>(2).get(), 2);
    const auto add = [](const handle& there, long by) {
      return there.async<&tally::add>(by).get();
    };
    EXPECT_EQ(wd::async(next(), add, mine, 3L).get(), 5);
    EXPECT_EQ(wd::async(wd::locality(0), add, mine, 4L).get(), 9);
  }
  expect_nothing_left();
}

TEST(MpiObjects, calls_during_migrations_are_run_once) {
  const wd::runtime job;
  const int size = wd::num_localities();
  if (wd::here().rank() == 0) {
    wd::register_name("tally", wd::make_remote<tally>(next()).get(), wd::here()).get();
  }
  {
    const auto one = wd::find<handle>("tally", wd::locality(0)).get();
    constexpr int num_calls = 500;
    for (int i = 0; i < num_calls; i += 10) {
      auto moved = wd::migrate(one, wd::locality(i / 10 % size));
      std::vector<weft::future<long>> answers;
      answers.reserve(10);
      for (int j = 0; j < 10; ++j) {
        answers.push_back(one.async<&tally::add>(1));
      }
      for (auto& each : answers) {
        EXPECT_GT(each.get(), 0);
      }
      moved.get();
    }
    wd::barrier().get();
    EXPECT_EQ(one.async<&tally::add>(0).get(), long{num_calls} * size);
    wd::barrier().get();
    if (wd::here().rank() == 0) {
      EXPECT_TRUE(wd::unregister_name("tally", wd::here()).get());
    }
  }
  expect_nothing_left();
}

TEST(MpiObjects, neighbours_exchange_values_by_channels) {
  const wd::runtime job;
  const int rank = wd::here().rank();
  const auto mine = wd::make_channel<std::vector<double>>(wd::here(), 2).get();
  wd::register_name("left", mine, wd::here()).get();
  const auto right = wd::find<wd::channel<std::vector<double>>>("left", next()).get();

  for (int step = 0; step < 100; ++step) {
    right.send(std::vector<double>(2000, rank + step));
    const std::vector<double> got = mine.receive().get();
    const int left = (rank + wd::num_localities() - 1) % wd::num_localities();
    EXPECT_EQ(got, std::vector<double>(2000, left + step));
  }
  right.flush().get();
  wd::barrier().get();
  EXPECT_TRUE(wd::unregister_name("left", wd::here()).get());
}

TEST(MpiObjects, latches_open) {
  const wd::runtime job;
  if (wd::here().rank() == 0) {
    wd::register_name("gate", wd::make_latch(next(), wd::num_localities()).get(), wd::here()).get();
  }
  const auto gate = wd::find<wd::latch>("gate", wd::locality(0)).get();
  gate.arrive_and_wait().get();
  EXPECT_TRUE(gate.try_wait().get());
}

TEST(MpiObjects, a_running_call_is_stopped) {
  const wd::runtime job;
  const weft::stop_source stop;
  auto answer = wd::async<&until_stopped>(wd::stoppable(next(), stop.get_token()));
  wd::async(next(), [] {}).get();
  stop.request_stop();
  try {
    EXPECT_EQ(answer.get(), next().rank());
  } catch (const weft::execution::operation_stopped&) {
    SUCCEED() << "the request came before the call began";
  }
}

TEST(MpiObjects, random_work_leaves_no_object_and_takes_constant_memory) {
  const wd::runtime job;
  const int a_tenth = 20'000 / 10 / wd::num_localities();
  random_work().run(2 * a_tenth);
  wd::quiescence().get();
  const long heap_before_kib = weft::test::heap_kib();
  const long peak_before_kib = weft::test::peak_kib();

  random_work().run(8 * a_tenth);

  expect_nothing_left();
  EXPECT_LE(weft::test::heap_kib(), heap_before_kib + 1024);
  if constexpr (!weft::test::keeps_freed_memory) {
    EXPECT_LE(weft::test::peak_kib(), peak_before_kib + 32L * 1024);
  }
}

}  // namespace mpi_objects_test
