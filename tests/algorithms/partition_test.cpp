// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Partitions, against the standard's, on few and many workers.
#include "weft/algorithms/partition.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <forward_list>
#include <iterator>
#include <list>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/detail/sorting/stable_halves.hpp"
#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_options.hpp"

namespace partition_test {

constexpr auto sizes =
    std::to_array<std::size_t>({0, 1, 2, 3, 63, 64, 65, 127, 128, 129, 1000, 8193, 30000});
constexpr auto shares_small =
    std::to_array<int>({0, 1, 50, 99, 100});  // percent of values below 100

/// Different values, some below 100.
std::vector<int> values_of(std::size_t n, int percent_small) {
  std::mt19937 random(3);
  std::vector<int> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    const bool is_small = static_cast<int>(random() % 100) < percent_small;
    values[i] = is_small ? -static_cast<int>(i) : static_cast<int>(i + 100);
  }
  return values;
}

bool is_small(int x) { return x < 100; }

weft::runtime_options workers(int n) {
  weft::runtime_options options;
  options.workers = n;
  return options;
}

template <class Check>
void on_all_kinds(Check check) {
  const auto all = [&check](const auto& policy) {
    for (const int percent : shares_small) {
      for (const std::size_t n : sizes) {
        check(policy, values_of(n, percent));
      }
    }
  };
  all(weft::seq);
  all(weft::par);
  for (const int n : {2, 7}) {
    weft::runtime home(workers(n));
    all(weft::par_unseq.on(home).with(weft::static_chunk_size{130}));
  }
}

TEST(Partition, partition_parts) {
  on_all_kinds([](const auto& policy, std::vector<int> in) {
    std::vector<int> before = in;
    const auto middle = weft::partition(policy, in.begin(), in.end(), is_small);
    ASSERT_TRUE(std::all_of(in.begin(), middle, is_small)) << in.size();
    ASSERT_TRUE(std::none_of(middle, in.end(), is_small)) << in.size();
    std::sort(before.begin(), before.end());
    std::sort(in.begin(), in.end());
    ASSERT_EQ(in, before);
  });
}

TEST(StablePartition, stable_partition_is_what_the_standard_does) {
  on_all_kinds([](const auto& policy, std::vector<int> in) {
    std::vector<int> expected(in.size());
    std::vector<int> others(in.size());
    const auto ends =
        std::partition_copy(in.begin(), in.end(), expected.begin(), others.begin(), is_small);
    std::copy(others.begin(), ends.second, ends.first);
    const auto middle = weft::stable_partition(policy, in.begin(), in.end(), is_small);
    ASSERT_EQ(middle - in.begin(), ends.first - expected.begin());
    ASSERT_EQ(in, expected);
  });
}

TEST(PartitionCopy, partition_copy_is_what_the_standard_does) {
  on_all_kinds([](const auto& policy, const std::vector<int>& in) {
    std::vector<int> expected_yes;
    std::vector<int> expected_no;
    std::partition_copy(in.begin(),
                        in.end(),
                        std::back_inserter(expected_yes),
                        std::back_inserter(expected_no),
                        is_small);
    std::vector<int> yes(expected_yes.size());
    std::vector<int> no(expected_no.size());
    const auto ends =
        weft::partition_copy(policy, in.begin(), in.end(), yes.begin(), no.begin(), is_small);
    EXPECT_EQ(ends, std::pair(yes.end(), no.end()));
    ASSERT_EQ(yes, expected_yes);
    ASSERT_EQ(no, expected_no);
  });
}

std::vector<std::string> texts_of(std::size_t n) {
  std::vector<std::string> texts;
  for (const int x : values_of(n, 50)) {
    texts.push_back(std::to_string(x) + std::string(20, 'x'));
  }
  return texts;
}

bool is_negative(const std::string& s) { return s.front() == '-'; }

TEST(StablePartition, keeps_texts_in_sequence) {
  weft::runtime home(workers(3));
  const auto policy = weft::par.on(home).with(weft::static_chunk_size{64});
  for (const std::size_t n : {1UL, 100UL, 20000UL}) {
    std::vector<std::string> in = texts_of(n);
    std::vector<std::string> yes;
    std::vector<std::string> no;
    std::partition_copy(
        in.begin(), in.end(), std::back_inserter(yes), std::back_inserter(no), is_negative);
    const auto middle = weft::stable_partition(policy, in.begin(), in.end(), is_negative);
    EXPECT_TRUE(std::equal(in.begin(), middle, yes.begin(), yes.end()));
    EXPECT_TRUE(std::equal(middle, in.end(), no.begin(), no.end()));
  }
}

TEST(Partition, rethrows_what_a_predicate_throws_wherever) {
  weft::runtime home(workers(3));
  const auto policy = weft::par.on(home).with(weft::static_chunk_size{64});
  for (const std::size_t where : {0UL, 1UL, 1500UL, 2999UL}) {
    std::vector<std::string> texts = texts_of(3000);
    texts[where] = "bad";
    const auto check = [](const std::string& s) {
      return s == "bad" ? throw std::runtime_error(s) : is_negative(s);
    };
    EXPECT_THROW(weft::stable_partition(policy, texts.begin(), texts.end(), check),
                 std::runtime_error);
    std::vector<std::string> same = texts_of(3000);
    same[where] = "bad";
    texts = same;
    EXPECT_THROW(weft::partition(policy, texts.begin(), texts.end(), check), std::runtime_error);
    std::sort(texts.begin(), texts.end());
    std::sort(same.begin(), same.end());
    EXPECT_EQ(texts, same);
  }
}

TEST(Partition, takes_lists_and_bits) {
  std::forward_list<int> forward{200, 1, 300, 2};
  const auto middle = weft::partition(weft::par, forward.begin(), forward.end(), is_small);
  EXPECT_EQ(std::distance(forward.begin(), middle), 2);
  std::list<int> list{200, 1, 300, 2};
  weft::stable_partition(weft::par, list.begin(), list.end(), is_small);
  EXPECT_EQ(list, (std::list<int>{1, 2, 200, 300}));
  std::vector<bool> bits(1000, true);
  bits[5] = false;
  const auto is_set = [](bool b) { return b; };
  EXPECT_EQ(weft::partition(weft::par, bits.begin(), bits.end(), is_set), bits.begin() + 999);
  bits[5] = false;
  EXPECT_EQ(weft::stable_partition(weft::par, bits.begin(), bits.end(), is_set),
            bits.begin() + 998);
}

TEST(StablePartition, does_without_memory) {
  std::vector<std::unique_ptr<int>> in;
  for (const int x : values_of(1000, 50)) {
    in.push_back(std::make_unique<int>(x));
  }
  auto check = [](const std::unique_ptr<int>& x) { return is_small(*x); };
  const auto middle = weft::algorithms::detail::split_in_place(in.begin(), in.size(), check);
  EXPECT_TRUE(std::all_of(in.begin(), middle, check));
  EXPECT_TRUE(std::none_of(middle, in.end(), check));
  const auto is_before = [](const auto& a, const auto& b) { return *a < *b; };
  EXPECT_TRUE(std::is_sorted(middle, in.end(), is_before));
}

}  // namespace partition_test
