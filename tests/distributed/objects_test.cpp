// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects of which each rank has one.
#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/error.hpp"
#include "weft/distributed/collectives.hpp"
#include "weft/distributed/local_of.hpp"
#include "weft/distributed/locality.hpp"
#include "weft/tasks/mutex.hpp"
#include "weft/tasks/this_task.hpp"

#include "tests/distributed/ranks.hpp"

namespace wd = weft::distributed;

namespace {

class table {
 public:
  void put(const std::string& key, int value) {
    const std::lock_guard guard(mutex_);
    values_[key] = value;
  }
  [[nodiscard]] std::optional<int> get(const std::string& key) const {
    const std::lock_guard guard(mutex_);
    const auto found = values_.find(key);
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  mutable weft::mutex mutex_;
  std::map<std::string, int> values_;
};

int owner_of(int i) { return i % wd::num_localities(); }

weft::test::ranks_options delayed(int size) {
  weft::test::ranks_options options;
  options.size = size;
  options.longest_delay = std::chrono::microseconds(100);
  return options;
}

}  // namespace

TEST(LocalOf, members_of_other_ranks_objects_are_called) {
  weft::test::ranks job(delayed(3));

  job.run([] {
    const wd::local_of<table> tables;
    if (wd::here().rank() == 0) {
      for (int i = 0; i < 30; ++i) {
        tables[owner_of(i)].async<&table::put>(std::to_string(i), i).get();
      }
      for (int i = 0; i < 30; ++i) {
        EXPECT_EQ(tables[owner_of(i)].async<&table::get>(std::to_string(i)).get(), i);
      }
      EXPECT_EQ(tables[1].async<&table::get>("none").get(), std::nullopt);
      EXPECT_EQ(tables->get("3"), 3);
    }
    wd::quiescence().get();
  });
}

TEST(LocalOf, lambdas_get_the_object) {
  weft::test::ranks job(delayed(2));

  job.run([] {
    const wd::local_of<std::vector<int>> all(std::vector<int>{1, 2, wd::here().rank()});
    const auto last = [](std::vector<int>& mine) { return mine.back(); };
    EXPECT_EQ(all[0].async(last).get(), 0);
    EXPECT_EQ(all[1].async(last).get(), 1);
    wd::quiescence().get();
  });
}

TEST(LocalOf, histograms_add_up) {
  weft::test::ranks job(delayed(3));

  job.run([] {
    struct bins {
      weft::mutex mutex;
      std::vector<long> counts = std::vector<long>(8);
    };
    wd::local_of<bins> all;
    for (int i = 0; i < 240; ++i) {
      all[owner_of(i)].post(
          [](bins& mine, int bin) {
            const std::lock_guard guard(mine.mutex);
            ++mine.counts[static_cast<std::size_t>(bin)];
          },
          i / 3 % 8);
    }
    wd::quiescence().get();
    EXPECT_THAT(all->counts, testing::Each(30));
    wd::barrier().get();
  });
}

TEST(LocalOf, calls_wait_until_the_object_is_made) {
  weft::test::ranks job(delayed(2));

  job.run([] {
    if (wd::here().rank() == 1) {
      weft::this_task::sleep_for(std::chrono::milliseconds(20));
    }
    const wd::local_of<int> numbers(wd::here().rank() + 5);
    EXPECT_EQ(numbers[1].async([](const int& mine) { return mine; }).get(), 6);
    wd::quiescence().get();
  });
}

TEST(LocalOf, calls_of_a_destroyed_object_fail) {
  weft::test::ranks job(delayed(2));

  job.run([] {
    std::optional<wd::local_of<int>> numbers(1);
    const auto other = (*numbers)[1];
    wd::quiescence().get();
    if (wd::here().rank() == 1) {
      numbers.reset();
    }
    wd::barrier().get();
    if (wd::here().rank() == 0) {
      EXPECT_THROW(other.async([](const int& mine) { return mine; }).get(), weft::error);
    }
  });
}
