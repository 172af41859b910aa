// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects that move between ranks while they are called.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/error.hpp"
#include "weft/distributed/archive.hpp"
#include "weft/distributed/async.hpp"
#include "weft/distributed/collectives.hpp"
#include "weft/distributed/detail/object_table.hpp"
#include "weft/distributed/detail/rank_tables.hpp"
#include "weft/distributed/locality.hpp"
#include "weft/distributed/names.hpp"
#include "weft/distributed/remote.hpp"
#include "weft/execution/lazy_task.hpp"
#include "weft/tasks/async.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/mutex.hpp"
#include "weft/tasks/stop_token.hpp"
#include "weft/tasks/this_task.hpp"

#include "tests/distributed/ranks.hpp"

namespace wd = weft::distributed;
using testing::HasSubstr;

namespace migrate_test {
namespace {

std::atomic<int> num_alive{0};

/// Counts its calls.
class tally {
 public:
  tally() { ++num_alive; }
  tally(const tally&) = delete;
  tally& operator=(const tally&) = delete;
  ~tally() { --num_alive; }

  long add(long by) {
    const std::lock_guard guard(mutex_);
    return sum_ += by;
  }
  /// Throws for some numbers, after counting.
  std::vector<std::uint8_t> random_call(std::vector<std::uint8_t> bytes, int seed) {
    add(1);
    if (seed % 13 == 0) {
      throw std::out_of_range(std::to_string(seed));
    }
    for (std::uint8_t& each : bytes) {
      each = static_cast<std::uint8_t>(each + seed);
    }
    return bytes;
  }
  // NOLINTNEXTLINE(*-to-static): called as a member
  [[nodiscard]] int rank() const { return wd::here().rank(); }
  /// Calls itself while it runs.
  long add_through(const wd::remote<tally>& me, long by) { return me.async<&tally::add>(by).get(); }
  void hold(const wd::remote<tally>& other) {
    const std::lock_guard guard(mutex_);
    held_ = other;
  }

 private:
  friend class wd::archive_access;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(sum_, large_, held_);
  }
  weft::mutex mutex_;
  long sum_ = 0;
  std::vector<double> large_ = std::vector<double>(3000, 1.0);
  wd::remote<tally> held_;
};
using handle = wd::remote<tally>;

/// Cannot be read on the other side.
struct stubborn {
  int calls = 0;
  void save(wd::output_archive& to) const { to(calls); }
  void load(wd::input_archive& /*from*/) { throw std::runtime_error("stays"); }
};

template <class F>
void on_ranks(int size, F body, bool always_serialize = false) {
  num_alive = 0;
  weft::test::ranks_options options;
  options.size = size;
  options.longest_delay = std::chrono::microseconds(100);
  options.calls.always_serialize = always_serialize;
  weft::test::ranks job(options);
  job.run(body);
  EXPECT_EQ(num_alive, 0);
  for (int rank = 0; rank < size; ++rank) {
    const auto& all = *job.engine(static_cast<std::size_t>(rank)).tables().objects;
    EXPECT_EQ(all.num_objects(), 0U) << rank;
    EXPECT_EQ(all.num_entries(), 0U) << rank;
  }
}
template <class F>
void on_first_of(int size, F body) {
  on_ranks(size, [&] {
    if (wd::here().rank() == 0) {
      body();
    }
  });
}

handle made_on(int rank) { return wd::make_remote<tally>(wd::locality(rank)).get(); }
int rank_of(const handle& one) { return one.async<&tally::rank>().get(); }

}  // namespace

TEST(Migrate, calls_follow_the_object) {
  on_first_of(3, [] {
    const handle one = made_on(1);
    const int seen = wd::async<&rank_of>(wd::locality(2), one).get();
    EXPECT_EQ(seen, 1);
    EXPECT_EQ(one.async<&tally::add>(5).get(), 5);
    wd::migrate(one, wd::locality(2)).get();
    EXPECT_EQ(one.async<&tally::add>(6).get(), 11);
    EXPECT_EQ(rank_of(one), 2);
    EXPECT_EQ(num_alive, 1);
    wd::migrate(one, wd::locality(2)).get();  // is there
    wd::migrate(one, wd::locality(0)).get();
    EXPECT_EQ(rank_of(one), 0);
    EXPECT_EQ(one.local()->rank(), 0);
    wd::migrate(one, wd::locality(1)).get();
    EXPECT_EQ(one.async<&tally::add>(0).get(), 11);
    EXPECT_EQ(one.local(), nullptr);
  });
}

TEST(Migrate, handles_learn_the_new_place) {
  on_first_of(3, [] {
    const handle one = made_on(1);
    wd::register_name("one", one, wd::locality(2)).get();
    wd::migrate(one, wd::locality(0)).get();
    wd::async(
        wd::locality(2),
        [](const handle& it) {
          EXPECT_EQ(rank_of(it), 0);
          while (it.owner().rank() != 0) {
            weft::this_task::yield();
          }
        },
        one)
        .get();
    EXPECT_TRUE(wd::unregister_name("one", wd::locality(2)).get());
  });
}

TEST(Migrate, an_object_that_cannot_be_read_stays) {
  weft::test::ranks job({});
  job.run([] {
    if (wd::here().rank() == 0) {
      const auto one = wd::make_remote<stubborn>(wd::locality(1)).get();
      EXPECT_THROW(wd::migrate(one, wd::locality(0)).get(), std::runtime_error);
      EXPECT_EQ(one.async([](stubborn& mine) { return ++mine.calls; }).get(), 1);
      EXPECT_EQ(one.owner().rank(), 1);
      EXPECT_THROW(static_cast<void>(wd::migrate(one, wd::locality(5))), weft::error);
    }
  });
}

TEST(Migrate, a_call_that_calls_its_object_ends) {
  on_first_of(2, [] {
    const handle one = made_on(1);
    std::vector<weft::future<long>> answers;
    answers.reserve(20);
    for (int i = 0; i < 20; ++i) {
      answers.push_back(one.async<&tally::add_through>(one, 1L));
    }
    auto moved = wd::migrate(one, wd::locality(0));
    for (auto& each : answers) {
      EXPECT_GT(each.get(), 0);
    }
    moved.get();
    EXPECT_EQ(one.async<&tally::add>(0).get(), 20);
  });
}

TEST(Migrate, a_pointer_keeps_the_object_here) {
  on_first_of(2, [] {
    const handle one = made_on(0);
    auto here = one.local();
    auto moved = wd::migrate(one, wd::locality(1));
    weft::this_task::sleep_for(std::chrono::milliseconds(5));
    EXPECT_FALSE(moved.is_ready());
    here->add(3);
    here.reset();
    moved.get();
    EXPECT_EQ(one.async<&tally::add>(0).get(), 3);
  });
}

TEST(Migrate, calls_during_migrations_are_run_once) {
  on_ranks(3, [] {
    const int rank = wd::here().rank();
    if (rank == 0) {
      wd::register_name("tally", made_on(1), wd::here()).get();
    }
    const auto one = wd::find<handle>("tally", wd::locality(0)).get();
    constexpr long num_calls = 400;
    std::atomic<bool> is_over{false};
    auto moving = weft::async([&] {
      int to = rank;
      while (!is_over) {
        wd::migrate(one, wd::locality(to)).get();
        to = (to + 1) % 3;
      }
    });
    for (long i = 0; i < num_calls; i += 20) {
      std::vector<weft::future<long>> answers;
      for (int j = 0; j < 10; ++j) {
        answers.push_back(one.async<&tally::add>(1));
        one.post<&tally::add>(1);
      }
      for (auto& each : answers) {
        EXPECT_GT(each.get(), 0);
      }
    }
    is_over = true;
    moving.get();
    wd::quiescence().get();
    EXPECT_EQ(one.async<&tally::add>(0).get(), 3 * num_calls);
    wd::barrier().get();
    if (rank == 0) {
      EXPECT_TRUE(wd::unregister_name("tally", wd::here()).get());
    }
  });
}

namespace {

class random_calls {
 public:
  explicit random_calls(unsigned seed) : random_(seed) {}

  void run(int num_calls) {
    for (int i = 0; i < num_calls; ++i) {
      step();
      if (answers_.size() >= 32) {
        take_answers();
      }
    }
    take_answers();
    for (auto& each : moves_) {
      each.get();
    }
    moves_.clear();
  }

 private:
  struct started {
    weft::future<std::vector<std::uint8_t>> answer;
    std::vector<std::uint8_t> expected;
    int seed;
    bool may_stop;
  };

  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
  wd::locality any_rank() {
    return wd::locality(static_cast<int>(below(static_cast<unsigned>(wd::num_localities()))));
  }
  handle& any_handle() { return handles_[below(static_cast<unsigned>(handles_.size()))]; }

  void step() {
    const unsigned kind = below(20);
    if (handles_.size() < 3 || (kind == 0 && handles_.size() < 12)) {
      handles_.push_back(wd::make_remote<tally>(any_rank()).get());
    } else if (kind == 1) {
      any_handle() = handle();
      std::erase_if(handles_, [](const handle& each) { return !each; });
    } else if (kind == 2) {
      moves_.push_back(wd::migrate(any_handle(), any_rank()));
    } else if (kind == 3) {
      const handle got = wd::async(any_rank(), [](handle all) { return all; }, any_handle()).get();
      handles_.push_back(got);
    } else if (kind == 4) {
      any_handle().post<&tally::hold>(made_on(any_rank().rank()));
    } else if (kind == 5) {
      any_handle().post<&tally::add>(1);
    } else {
      call(kind < 10);
    }
  }

  void call(bool may_stop) {
    const std::size_t size = below(16) == 0 ? below(40'000) : below(100);
    const int seed = static_cast<int>(below(1000));
    std::vector<std::uint8_t> bytes(size, static_cast<std::uint8_t>(below(256)));
    std::vector<std::uint8_t> expected = bytes;
    for (std::uint8_t& each : expected) {
      each = static_cast<std::uint8_t>(each + seed);
    }
    const weft::stop_source stop;
    auto answer = may_stop ? wd::stoppable(any_handle(), stop.get_token())
                                 .async<&tally::random_call>(std::move(bytes), seed)
                           : any_handle().async<&tally::random_call>(std::move(bytes), seed);
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
  std::vector<weft::future<void>> moves_;
};

}  // namespace

TEST(Migrate, random_calls_leave_no_object) {
  for (const bool always_serialize : {false, true}) {
    on_ranks(
        3,
        [] { random_calls(static_cast<unsigned>(wd::here().rank() + 1)).run(1500); },
        always_serialize);
  }
}

}  // namespace migrate_test
