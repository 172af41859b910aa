// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem intersim against plain multiplication, in several orders of reduction and in threads.
#include "lab/inncabs/intersim/intersim.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "inncabs/inline_runtime.hpp"
#include "lab/inncabs/input_class.hpp"
#include "lab/inncabs/intersim/guarded_net.hpp"
#include "lab/inncabs/intersim/intersim_futures.hpp"
#include "lab/inncabs/intersim/intersim_groups.hpp"
#include "lab/inncabs/intersim/net.hpp"

namespace weft::lab::inncabs::intersim {
namespace intersim_test {

using testing::inline_runtime;

constexpr auto at_once = inline_runtime::launch::at_once;

TEST(IntersimOracle, multiplies_small_numbers) {
  for (std::uint32_t factor = 0; factor < 20; ++factor) {
    const input from{factor};
    EXPECT_EQ(run_serial(from).product, std::uint64_t{factor} * factor);
    EXPECT_EQ(mismatch(from, run_serial(from)), "");
  }
}

TEST(IntersimOracle, multiplies_the_number_of_the_study) {
  const input from = make_input(input_class::paper, 1);

  EXPECT_EQ(run_serial(from).product, 22'500U);
  EXPECT_EQ(mismatch(from, run_serial(from)), "");
}

TEST(IntersimTasks, are_as_many_as_the_study_counted) {
  const auto found = num_tasks(make_input(input_class::paper, 1));

  EXPECT_EQ(found, 1'699'352U);  // the study: 1.70e6
}

TEST(IntersimCheck, rejects_a_wrong_product_and_a_wrong_count) {
  const input from{15};
  const result right = run_serial(from);

  result found = right;
  found.product = 224;
  EXPECT_EQ(mismatch(from, found), "the product is 224, expected 225");
  found.product.reset();
  EXPECT_EQ(mismatch(from, found), "the net did not end in a number");
  found = right;
  --found.num_interactions;
  EXPECT_EQ(mismatch(from, found), "1861 interactions, expected 1862");
}

TEST(IntersimNet, has_no_value_before_it_is_reduced) { EXPECT_EQ(net(3).value(), std::nullopt); }

TEST(IntersimNet, comes_to_the_same_in_every_order) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::mt19937_64 generator(seed);
    net cells(7);
    std::vector<active_pair> waiting{cells.first_pair()};
    std::uint64_t interactions = 0;
    for (; !waiting.empty(); ++interactions) {
      std::swap(waiting[generator() % waiting.size()], waiting.back());
      const active_pair next = waiting.back();
      waiting.pop_back();
      for (const active_pair& each : cells.interact(next)) {
        waiting.push_back(each);
      }
    }
    EXPECT_EQ(mismatch({7}, {cells.value(), interactions}), "") << "seed " << seed;
  }
}

TEST(IntersimNet, names_each_neighbour_once) {
  net cells(4);
  std::vector<active_pair> waiting{cells.first_pair()};
  while (!waiting.empty()) {
    const active_pair next = waiting.back();
    waiting.pop_back();
    const neighbourhood found = cells.around(next);
    std::vector<cell_id> all(found.begin(), found.end());
    std::ranges::sort(all);
    EXPECT_EQ(std::ranges::adjacent_find(all), all.end());
    EXPECT_GE(all.size(), 2U);
    for (const active_pair& each : cells.interact(next)) {
      waiting.push_back(each);
    }
  }
}

TEST(ShortList, adds_what_it_has_not) {
  short_list<int, 3> list;
  list.add(5);
  list.add_if_new(5);
  list.add_if_new(6);

  EXPECT_EQ(std::vector<int>(list.begin(), list.end()), (std::vector<int>{5, 6}));
}

TEST(IntersimFutures, equals_the_oracle) {
  const input from = make_input(input_class::tiny, 1);

  EXPECT_EQ(run_futures<inline_runtime>(from, at_once), run_serial(from));
}

TEST(IntersimGroups, equals_the_oracle) {
  const input from = make_input(input_class::tiny, 1);

  EXPECT_EQ(run_groups<inline_runtime>(from), run_serial(from));
}

/// Waiting pairs that several threads take at random: neighbours are rewritten at the same time.
class shared_pairs {
 public:
  explicit shared_pairs(active_pair first) : waiting_{first} {}

  void reduce_all(guarded_net<inline_runtime>& cells, std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    while (num_left_ > 0) {
      active_pair next{};
      {
        const std::lock_guard guard(mutex_);
        if (waiting_.empty()) {
          continue;
        }
        std::swap(waiting_[generator() % waiting_.size()], waiting_.back());
        next = waiting_.back();
        waiting_.pop_back();
      }
      const active_pairs made = cells.reduce(next);
      const std::lock_guard guard(mutex_);
      waiting_.insert(waiting_.end(), made.begin(), made.end());
      num_reduced_ += 1;
      num_left_ += made.size();
      num_left_ -= 1;
    }
  }

  [[nodiscard]] std::uint64_t num_reduced() const { return num_reduced_; }

 private:
  std::mutex mutex_;
  std::vector<active_pair> waiting_;
  std::uint64_t num_reduced_ = 0;
  std::atomic<std::uint64_t> num_left_ = 1;
};

TEST(GuardedNet, is_rewritten_rightly_by_threads_that_meet) {
  guarded_net<inline_runtime> cells(20);
  shared_pairs pairs(cells.first_pair());
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (std::uint64_t i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] { pairs.reduce_all(cells, i); });
    }
  }

  EXPECT_EQ(mismatch({20}, {cells.value(), pairs.num_reduced()}), "");
}

}  // namespace intersim_test
}  // namespace weft::lab::inncabs::intersim
