// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What selection puts in its place, keys that carry values, and counts by bin.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <list>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/histogram.hpp"
#include "weft/algorithms/nth_element.hpp"
#include "weft/algorithms/partial_sort.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/reduce_by_key.hpp"
#include "weft/algorithms/sort_by_key.hpp"
#include "weft/tasks/runtime.hpp"

#include "algorithms/item_support.hpp"
#include "algorithms/proxy_support.hpp"
#include "algorithms/sort_support.hpp"
#include "algorithms/turn_support.hpp"

namespace selection_test {

using weft::test::all_patterns;
using weft::test::numbers;
using weft::test::pattern;
using weft::test::takes_turn;
using weft::test::values_of;
using weft::test::workers;

/// The same of the same elements in any order, and hardly of others.
template <class T>
std::size_t hash_sum(const std::vector<T>& values) {
  std::size_t sum = 0;
  for (const T& x : values) {
    sum += std::hash<T>()(x);
  }
  return sum;
}

template <class Policy, class T, class Compare>
void selects_around(const Policy& policy,
                    const std::vector<T>& original,
                    const std::vector<T>& sorted,
                    std::size_t k,
                    Compare comp) {
  const auto rank = static_cast<std::ptrdiff_t>(k);
  std::vector<T> values = original;
  weft::nth_element(policy, values.begin(), values.begin() + rank, values.end(), comp);
  EXPECT_EQ(values[k], sorted[k]) << values.size() << ' ' << k;
  EXPECT_TRUE(std::all_of(
      values.begin(), values.begin() + rank, [&](const T& x) { return !comp(values[k], x); }));
  EXPECT_TRUE(std::all_of(
      values.begin() + rank, values.end(), [&](const T& x) { return !comp(x, values[k]); }));

  weft::partial_sort(policy, values.begin(), values.begin() + rank, values.end(), comp);
  EXPECT_TRUE(std::equal(values.begin(), values.begin() + rank, sorted.begin()));
  EXPECT_EQ(hash_sum(values), hash_sum(original)) << "the rest in any order";

  std::vector<T> out(k + 1);
  const auto end = weft::partial_sort_copy(
      policy, original.begin(), original.end(), out.begin(), out.end(), comp);
  EXPECT_EQ(end, out.end());
  EXPECT_TRUE(std::equal(out.begin(), out.end(), sorted.begin()));
}

/// The first rank, one in the middle and the last, by each runtime whose turn it is.
template <class T, class Compare>
void selects_ranks(std::list<weft::runtime>& homes,
                   const std::vector<T>& original,
                   const std::vector<T>& sorted,
                   std::size_t turn,
                   Compare comp) {
  const std::size_t n = original.size();
  for (const std::size_t k : {std::size_t{0}, n / 3, n - 1}) {
    std::size_t index = 0;
    for (weft::runtime& home : homes) {
      if (takes_turn(n, index++, homes.size(), turn)) {
        selects_around(weft::par.on(home), original, sorted, k, comp);
      }
    }
    ++turn;
  }
}

/// On runtimes with each of these numbers of workers.
template <class T, class Compare>
void selects(std::initializer_list<std::size_t> nums_workers, Compare comp) {
  std::list<weft::runtime> homes;
  for (const std::size_t n : nums_workers) {
    homes.emplace_back(workers(n));
  }
  for (const std::size_t n : {1U, 2U, 1000U, 5000U, 40000U}) {
    if (std::is_same_v<T, std::string> && n > 5000) {
      continue;  // they are compared for too long
    }
    for (const pattern which : all_patterns) {
      const std::vector<T> original = values_of<T>(numbers(which, n));
      std::vector<T> sorted = original;
      std::sort(sorted.begin(), sorted.end(), comp);
      selects_ranks(homes, original, sorted, static_cast<std::size_t>(which), comp);
    }
  }
}

TEST(Selection, splits_around_every_rank) {
  selects<double>({1, 2, 7}, std::less<>());
  selects<std::string>({2}, std::less<>());
}

TEST(Selection, copies_the_few_least) {
  for (const pattern which : all_patterns) {
    const std::vector<int> values = numbers(which, 300);
    std::vector<int> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t room = 0; room < 20; ++room) {
      std::vector<int> out(room + 1, -1);
      const auto end = weft::partial_sort_copy(
          weft::par, values.begin(), values.end(), out.begin(), out.end() - 1);
      EXPECT_EQ(end, out.end() - 1);
      EXPECT_TRUE(std::equal(out.begin(), end, sorted.begin()));
      EXPECT_EQ(out.back(), -1);
      const auto short_end = weft::partial_sort_copy(
          weft::par, values.begin(), values.begin() + 3, out.begin(), out.end() - 1);
      EXPECT_EQ(short_end - out.begin(), std::min<std::ptrdiff_t>(3, std::ssize(out) - 1));
      EXPECT_TRUE(std::is_sorted(out.begin(), short_end));
    }
  }
}

TEST(Selection, copies_all_if_the_result_has_more_room) {
  const std::vector<int> values = numbers(pattern::random, 10000);
  std::vector<int> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  std::vector<int> out(20000);

  const auto end =
      weft::partial_sort_copy(weft::par, values.begin(), values.end(), out.begin(), out.end());

  EXPECT_EQ(end - out.begin(), 10000);
  EXPECT_TRUE(std::equal(sorted.begin(), sorted.end(), out.begin()));
}

struct name_of {
  explicit name_of(int k = -1) : key(k) {}
  name_of& operator=(int x) {
    key = x;
    return *this;
  }
  int key;
};

TEST(Selection, compares_results_with_elements_as_the_standard_says_and_not_elements_alone) {
  struct by_key {
    bool operator()(int x, const name_of& of) const { return x < of.key; }
    bool operator()(const name_of& a, const name_of& b) const { return a.key < b.key; }
  };
  const std::vector<int> values = numbers(pattern::random, 10000);
  std::vector<int> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  for (const std::size_t room : {0U, 1U, 100U, 10000U, 10001U}) {
    std::vector<name_of> out(room);
    const auto end = weft::partial_sort_copy(
        weft::par, values.begin(), values.end(), out.begin(), out.end(), by_key());
    EXPECT_EQ(end - out.begin(), std::min<std::ptrdiff_t>(std::ssize(out), 10000));
    EXPECT_TRUE(std::equal(
        out.begin(), end, sorted.begin(), [](const name_of& of, int x) { return of.key == x; }));
  }
}

TEST(Selection, takes_what_can_only_be_moved) {
  std::vector<std::unique_ptr<int>> values;
  for (const int x : numbers(pattern::random, 10000)) {
    values.push_back(std::make_unique<int>(x));
  }
  const auto comp = [](const auto& a, const auto& b) { return *a < *b; };

  weft::partial_sort(weft::par, values.begin(), values.begin() + 5000, values.end(), comp);

  EXPECT_TRUE(std::is_sorted(values.begin(), values.begin() + 5000, comp));
}

TEST(Selection, rethrows_what_a_comparison_throws) {
  const std::vector<int> original = numbers(pattern::random, 50000);
  for (const long calls : {0L, 100L, 20000L, 60000L}) {
    std::vector<int> values = original;
    std::atomic<long> calls_left{calls};

    EXPECT_THROW(weft::nth_element(weft::par,
                                   values.begin(),
                                   values.begin() + 25000,
                                   values.end(),
                                   weft::test::throwing_less(calls_left)),
                 std::runtime_error);
  }
}

template <class Key, class Value>
void moves_values(std::size_t n) {
  std::vector<Key> keys = values_of<Key>(numbers(pattern::few_distinct, n));
  std::vector<int> places(n);
  std::iota(places.begin(), places.end(), 0);
  std::vector<Value> values = values_of<Value>(places);
  std::vector<std::pair<Key, int>> expected;
  expected.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    expected.emplace_back(keys[i], places[i]);
  }
  std::sort(expected.begin(), expected.end());

  weft::sort_by_key(weft::par, keys.begin(), keys.end(), values.begin());

  std::vector<int> expected_places;
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(keys[i], expected[i].first);
    expected_places.push_back(expected[i].second);
  }
  EXPECT_EQ(values, values_of<Value>(expected_places));
}

TEST(SortByKey, moves_values_with_their_keys) {
  for (const std::size_t n : {0U, 1U, 100U, 30000U}) {
    moves_values<int, double>(n);
    moves_values<std::string, std::string>(n);
  }
}

TEST(SortByKey, keys_are_compared_as_iterators_refer_to_them_and_may_be_behind_proxies) {
  using weft::test::item;
  using weft::test::proxy_iterator;
  const auto less = [](item& a, item& b) { return a.key < b.key; };
  for (const int n : {2, 100, 30'000}) {
    std::vector<item> sorted = weft::test::items(n);
    std::vector<int> tags = weft::test::counted(n);
    weft::sort_by_key(
        weft::par, sorted.begin(), sorted.end(), proxy_iterator<int>(tags.data()), less);

    std::vector<int> keys(tags.rbegin(), tags.rend());
    std::vector<std::string> names = values_of<std::string>(keys);
    const proxy_iterator<int> first(keys.data());
    weft::sort_by_key(weft::par, first, first + n, proxy_iterator<std::string>(names.data()));

    for (std::size_t i = 0; i < tags.size(); ++i) {
      ASSERT_EQ(sorted[i].tag, tags[i]);
      ASSERT_TRUE(i == 0 || std::pair(sorted[i - 1].key, sorted[i - 1].tag) <
                                std::pair(sorted[i].key, sorted[i].tag));
    }
    EXPECT_EQ(keys, weft::test::counted(n));
    EXPECT_EQ(names, values_of<std::string>(keys));
  }
}

TEST(SortByKey, values_that_share_their_bytes_are_not_lost) {
  weft::runtime home(workers(4));
  const std::size_t n = 40000;
  std::vector<int> all_keys(n);
  std::vector<bool> all_values(n);
  std::vector<bool> sorted(n);
  for (std::size_t i = 0; i < n; ++i) {
    all_keys[i] = static_cast<int>(i * 7919 % n);
    all_values[i] = all_keys[i] % 3 == 0;
    sorted[i] = i % 3 == 0;
  }
  const auto num_true = std::count(sorted.begin(), sorted.end(), true);
  std::vector<bool> sorted_alone(n);
  std::fill(sorted_alone.end() - num_true, sorted_alone.end(), true);
  for (int round = 0; round < 10; ++round) {
    std::vector<int> keys = all_keys;
    std::vector<bool> values = all_values;
    std::vector<bool> least(n);

    weft::partial_sort_copy(
        weft::par.on(home), values.begin(), values.end(), least.begin(), least.end());
    weft::sort_by_key(weft::par.on(home), keys.begin(), keys.end(), values.begin());

    ASSERT_TRUE(values == sorted);
    ASSERT_TRUE(least == sorted_alone);
  }
}

TEST(ReduceByKey, reduces_each_run) {
  for (const std::size_t n : {0U, 1U, 100U, 50000U}) {
    for (const std::size_t run_length : {1U, 3U, 700U, 60000U}) {
      std::vector<int> keys(n);
      std::vector<std::string> values(n);
      for (std::size_t i = 0; i < n; ++i) {
        keys[i] = static_cast<int>(i / run_length);
        values[i] = static_cast<char>('a' + i % 26);
      }
      std::vector<int> expected_keys;
      std::vector<std::string> expected;
      for (std::size_t i = 0; i < n; ++i) {
        if (i % run_length == 0) {
          expected_keys.push_back(keys[i]);
          expected.emplace_back();
        }
        expected.back() += values[i];
      }
      std::vector<int> keys_out(n);
      std::vector<std::string> values_out(n);

      const auto ends = weft::reduce_by_key(weft::par,
                                            keys.begin(),
                                            keys.end(),
                                            values.begin(),
                                            keys_out.begin(),
                                            values_out.begin());

      EXPECT_TRUE(
          std::equal(keys_out.begin(), ends.first, expected_keys.begin(), expected_keys.end()));
      EXPECT_TRUE(std::equal(values_out.begin(), ends.second, expected.begin(), expected.end()));
    }
  }
}

template <class Key, class Value>
void reduces_numbers_as_others(const std::vector<Key>& some_keys, int mean_length) {
  weft::runtime home(workers(3));
  for (const std::size_t n : {0U, 1U, 2U, 256U, 1000U, 40'000U}) {
    std::vector<Key> keys(n);
    std::vector<Value> values(n);
    const std::vector<int> random = numbers(pattern::random, 2 * n);
    for (std::size_t i = 0; i < n; ++i) {
      const bool is_same = i != 0 && random[i] % mean_length != 0;
      keys[i] =
          is_same ? keys[i - 1]
                  : some_keys[static_cast<std::size_t>(random[i] / mean_length) % some_keys.size()];
      values[i] = static_cast<Value>(random[n + i] % 7 - 3);
    }
    const auto reduced = [&](const auto& policy, auto equal, auto op) {
      std::vector<Key> keys_out(n);
      std::vector<Value> values_out(n);
      const auto ends = weft::reduce_by_key(policy,
                                            keys.begin(),
                                            keys.end(),
                                            values.begin(),
                                            keys_out.begin(),
                                            values_out.begin(),
                                            equal,
                                            op);
      keys_out.erase(ends.first, keys_out.end());
      values_out.erase(ends.second, values_out.end());
      return std::pair(keys_out, values_out);
    };
    const auto expected = reduced(
        weft::seq,
        [](Key a, Key b) { return a == b; },
        [](Value a, Value b) { return static_cast<Value>(a + b); });
    for (const auto& found : {reduced(weft::seq, std::equal_to<>(), std::plus<>()),
                              reduced(weft::par.on(home), std::equal_to<Key>(), std::plus<>())}) {
      ASSERT_EQ(found.second, expected.second) << n;
      ASSERT_EQ(found.first.size(), expected.first.size());
      // NaN is not what it is, and zeros have signs
      ASSERT_TRUE(n == 0 || std::memcmp(found.first.data(),
                                        expected.first.data(),
                                        found.first.size() * sizeof(Key)) == 0);
    }
  }
}

TEST(ReduceByKey, reduces_numbers_as_it_reduces_others) {
  for (const int mean_length : {1, 3, 100, 20'000}) {
    reduces_numbers_as_others<double, double>(
        {0.0, -0.0, 1.5, std::numeric_limits<double>::quiet_NaN(), -3.0}, mean_length);
    reduces_numbers_as_others<int, std::int8_t>({1, 2, std::numeric_limits<int>::min()},
                                                mean_length);
    reduces_numbers_as_others<std::uint16_t, float>({0, 65535, 7}, mean_length);
  }
}

TEST(ReduceByKey, a_long_run_begins_and_ends_anywhere) {
  for (const std::size_t before : {0U, 1U, 4095U, 4096U, 4097U, 9000U}) {
    for (const std::size_t length : {4095U, 4096U, 4097U, 8191U, 8192U, 8193U, 30'000U}) {
      constexpr std::size_t behind = 5;
      std::vector<double> keys(before + length + behind);
      std::iota(keys.begin(), keys.end(), 0.0);
      std::fill_n(keys.begin() + static_cast<std::ptrdiff_t>(before), length, -1.0);
      const std::vector<double> values(keys.size(), 1.0);
      std::vector<double> keys_out(keys.size());
      std::vector<double> sums(keys.size());

      const auto ends = weft::reduce_by_key(
          weft::seq, keys.begin(), keys.end(), values.begin(), keys_out.begin(), sums.begin());

      ASSERT_EQ(ends.second - sums.begin(), static_cast<std::ptrdiff_t>(before + 1 + behind));
      sums.erase(ends.second, sums.end());
      keys_out.erase(ends.first, keys_out.end());
      EXPECT_EQ(std::exchange(sums[before], 1.0), static_cast<double>(length));
      EXPECT_TRUE(std::ranges::all_of(sums, [](double sum) { return sum == 1.0; }));
      EXPECT_EQ(keys_out[before], -1.0);
      EXPECT_EQ(keys_out.back(), keys.back());
    }
  }
}

TEST(ReduceByKey, makes_no_sum_across_runs) {
  const std::vector<int> keys{1, 2};
  const std::vector<int> values(2, std::numeric_limits<int>::max());
  std::vector<int> sums(2);
  std::vector<int> keys_out(2);

  weft::reduce_by_key(
      weft::seq, keys.begin(), keys.end(), values.begin(), keys_out.begin(), sums.begin());

  EXPECT_EQ(sums, values);
}

/// Holds whole numbers, whatever it is given.
struct rounded {
  long number = 0;
  rounded& operator=(double x) {
    number = std::lround(std::floor(x));
    return *this;
  }
  operator double() const { return static_cast<double>(number); }  // NOLINT: as numbers convert
};

TEST(ReduceByKey, results_of_another_type_are_made_of_whole_runs) {
  weft::runtime home(workers(3));
  const std::vector<int> keys(50'001, 1);
  const std::vector<double> halves(keys.size(), 0.5);
  for (int round = 0; round < 5; ++round) {  // others help when it is known that this pays
    std::vector<int> keys_out(keys.size());
    std::vector<rounded> sums(keys.size());

    weft::reduce_by_key(weft::par.on(home),
                        keys.begin(),
                        keys.end(),
                        halves.begin(),
                        keys_out.begin(),
                        sums.begin(),
                        std::equal_to<>(),
                        [](double a, double b) { return a + b; });

    ASSERT_EQ(sums.front().number, 25'000);
  }
}

TEST(Histogram, counts_what_falls_into_each_bin) {
  std::vector<double> values;
  for (const int x : numbers(pattern::random, 100000)) {
    values.push_back(static_cast<double>(x) / (1 << 24) * 12 - 1);
  }
  std::vector<long> counts(10, -1);

  const auto end =
      weft::histogram(weft::par, values.begin(), values.end(), 10, 0.0, 10.0, counts.begin());

  EXPECT_EQ(end, counts.end());
  for (std::size_t bin = 0; bin < 10; ++bin) {
    const auto low = static_cast<double>(bin);
    EXPECT_EQ(counts[bin], std::count_if(values.begin(), values.end(), [low](double x) {
                return x >= low && x < low + 1;
              }));
  }
}

TEST(Histogram, whole_numbers_fall_exactly_into_their_bins) {
  for (const int num_bins : {1, 7, 49, 64, 98, 256}) {
    for (const int width : {49, 98, 256}) {
      std::vector<int> values(60'000);
      std::vector<long> expected(static_cast<std::size_t>(num_bins));
      for (std::size_t i = 0; i < values.size(); ++i) {
        const int place = static_cast<int>(i * 7919 % 300) - 20;  // some in no bin
        values[i] = place - 5;
        if (place >= 0 && place < width) {
          ++expected[static_cast<std::size_t>(place * num_bins / width)];
        }
      }
      std::vector<long> counts(expected.size(), -1);

      for (int round = 0; round < 3; ++round) {
        weft::histogram(
            weft::par, values.begin(), values.end(), num_bins, -5, width - 5, counts.begin());
        ASSERT_EQ(counts, expected) << num_bins << " bins, " << width << " wide";
      }
    }
  }
}

TEST(Histogram, few_and_many_bins_are_counted_alike_by_any_number_of_workers) {
  std::deque<float> values;
  for (const int x : numbers(pattern::random, 70'000)) {
    values.push_back(static_cast<float>(x % 4096 - 64) / 2);
  }
  values[1] = std::numeric_limits<float>::quiet_NaN();
  values[2] = std::numeric_limits<float>::infinity();
  values[3] = -values[2];
  values[4] = -0.0F;
  for (const std::size_t n : {std::size_t{1}, std::size_t{2}, std::size_t{7}}) {
    weft::runtime home(workers(n));
    for (const std::size_t size : {std::size_t{0}, std::size_t{5}, std::size_t{70'000}}) {
      for (const std::size_t num_bins : {1U, 2U, 500U, 512U, 1024U, 1025U}) {
        const double high = static_cast<double>(num_bins) * 1.5;  // thus bins 1.5 wide
        std::vector<long> expected(num_bins);
        for (std::size_t i = 0; i < size; ++i) {
          if (values[i] >= 0 && static_cast<double>(values[i]) < high) {
            ++expected[static_cast<std::size_t>(std::floor(values[i] * 2)) / 3];
          }
        }
        std::vector<long> counts(num_bins + 1, -1);

        const auto end = weft::histogram(weft::par.on(home),
                                         values.begin(),
                                         values.begin() + static_cast<std::ptrdiff_t>(size),
                                         num_bins,
                                         0.0,
                                         high,
                                         counts.begin());

        EXPECT_EQ(end, counts.end() - 1);
        EXPECT_EQ(counts.back(), -1);
        counts.pop_back();
        ASSERT_EQ(counts, expected) << num_bins << " bins of " << size;
      }
    }
  }
}

TEST(Histogram, counts_in_what_is_narrow_wrap_around) {
  const std::vector<int> equal(1000, 3);
  std::array<std::uint8_t, 4> counts{};

  weft::histogram(weft::par, equal.begin(), equal.end(), 4, 0, 4, counts.begin());

  EXPECT_EQ(counts, (std::array<std::uint8_t, 4>{0, 0, 0, 1000 % 256}));
}

TEST(Histogram, counts_between_bounds) {
  const std::vector<int> values = numbers(pattern::sorted, 50000);
  const std::array bounds{10, 20, 1000, 40000};
  std::array<unsigned, 3> counts{};

  weft::histogram(
      weft::par, values.begin(), values.end(), bounds.begin(), bounds.end(), counts.begin());

  EXPECT_EQ(counts, (std::array<unsigned, 3>{10, 980, 39000}));
}

}  // namespace selection_test
