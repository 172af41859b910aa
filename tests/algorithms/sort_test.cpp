// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts give what the standard's do, whatever they are given and whoever does it.
#include "weft/algorithms/sort.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/detail/sorting/block_sort.hpp"
#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/stable_sort.hpp"
#include "weft/tasks/runtime.hpp"

#include "algorithms/sort_support.hpp"
#include "algorithms/turn_support.hpp"

namespace sort_test {

using weft::test::all_patterns;
using weft::test::numbers;
using weft::test::pattern;
using weft::test::takes_turn;
using weft::test::values_of;
using weft::test::workers;

constexpr std::array<std::size_t, 11> sizes{0, 1, 2, 3, 33, 95, 96, 500, 4999, 40001, 140001};

/// Numbers in their own order are shared from 2^17 on; others have more than 256 leaves of 512.
constexpr std::size_t most = 140001;

/// Runtimes with these numbers of workers.
template <std::size_t num_homes>
std::array<std::unique_ptr<weft::runtime>, num_homes> runtimes_of(
    const std::array<std::size_t, num_homes>& nums_workers) {
  std::array<std::unique_ptr<weft::runtime>, num_homes> made;
  std::ranges::transform(nums_workers, made.begin(), [](std::size_t n) {
    return std::make_unique<weft::runtime>(workers(n));
  });
  return made;
}

template <class T, class Homes, class Compare>
void sorts_pattern(
    const Homes& homes, pattern which, std::size_t n, std::size_t turn, Compare comp) {
  const std::vector<T> original = values_of<T>(numbers(which, n));
  std::vector<T> expected = original;
  std::sort(expected.begin(), expected.end(), comp);
  for (std::size_t home = 0; home < homes.size(); ++home) {
    const auto policy = weft::par.on(*homes[home]);
    if (takes_turn(n, home, homes.size(), turn)) {
      std::vector<T> values = original;
      weft::sort(policy, values.begin(), values.end(), comp);
      ASSERT_TRUE(values == expected) << n << " in pattern " << static_cast<int>(which);
    }
    if (takes_turn(n, home, homes.size(), turn + 1)) {
      std::vector<T> stably = original;
      weft::stable_sort(policy, stably.begin(), stably.end(), comp);
      ASSERT_TRUE(stably == expected) << n << " in pattern " << static_cast<int>(which);
    }
  }
}

template <class T, class Homes, class Compare>
void sorts_all_patterns(const Homes& homes,
                        std::size_t largest,
                        Compare comp,
                        std::size_t turn = 0) {
  for (const std::size_t n : sizes) {
    for (const pattern which : all_patterns) {
      if (n <= largest) {
        sorts_pattern<T>(homes, which, n, turn, comp);
      }
      ++turn;
    }
    ++turn;  // so that another runtime begins with the next size
  }
}

TEST(Sort, sorts_numbers_at_every_size) {
  const auto homes = runtimes_of<3>({1, 2, 7});
  sorts_all_patterns<double>(homes, most, std::less<>());
  sorts_all_patterns<int>(homes, most, std::greater<>(), 1);
}

TEST(Sort, sorts_by_a_function_of_the_caller) {
  const auto homes = runtimes_of<1>({3});
  sorts_all_patterns<double>(homes, most, [](double a, double b) { return a > b; });
  sorts_all_patterns<std::string>(homes, 5000, std::less<>());
  sorts_all_patterns<int>(homes, 40001, [](int& a, int& b) { return a > b; });
}

template <class T>
void sorts_whole_domain() {
  std::vector<T> values;
  std::uint64_t mixed = 1;
  for (int i = 0; i < 140000; ++i) {
    mixed = mixed * 6364136223846793005U + 1442695040888963407U;
    values.push_back(static_cast<T>(mixed >> 13U));
  }
  values.push_back(std::numeric_limits<T>::max());
  values.push_back(std::numeric_limits<T>::lowest());
  std::vector<T> expected = values;
  std::sort(expected.begin(), expected.end());

  weft::sort(weft::par_unseq, values.begin(), values.end());

  EXPECT_EQ(values, expected);
}

TEST(Sort, sorts_all_kinds_of_numbers) {
  sorts_whole_domain<std::int8_t>();
  sorts_whole_domain<std::uint16_t>();
  sorts_whole_domain<std::int16_t>();
  sorts_whole_domain<std::uint32_t>();
  sorts_whole_domain<unsigned long long>();
  sorts_whole_domain<long>();
  sorts_whole_domain<float>();
}

constexpr auto sort_by_less = [](auto how, auto first, auto last) { weft::sort(how, first, last); };

/// Sorts with each runtime whose turn it is.
template <class T, class Homes, class Sort>
void sorts_in_turn(const Homes& homes,
                   const std::vector<T>& original,
                   const std::vector<T>& expected,
                   std::size_t turn,
                   Sort sort) {
  for (std::size_t home = 0; home < homes.size(); ++home) {
    if (takes_turn(original.size(), home, homes.size(), turn)) {
      std::vector<T> values = original;
      sort(weft::par.on(*homes[home]), values.begin(), values.end());
      ASSERT_TRUE(values == expected) << original.size() << " by runtime " << home;
    }
  }
}

/// Descending values, most of them several times; as strings all with six digits.
template <class T>
std::vector<T> descending_with_ties(std::size_t n) {
  constexpr std::size_t least = 100'000;
  std::vector<int> made(n);
  for (std::size_t i = 0; i < n; ++i) {
    made[i] = static_cast<int>(least + (n - i) / 3);
  }
  return values_of<T>(made);
}

template <class T>
void sorts_descending_with_ties() {
  const auto homes = runtimes_of<2>({1, 3});
  constexpr std::size_t turn = sizeof(T) / 4;
  for (const std::size_t n : {std::size_t{96}, std::size_t{4999}, most}) {
    const std::vector<T> original = descending_with_ties<T>(n);
    const std::vector<T> expected(original.rbegin(), original.rend());
    std::vector<T> almost = original;
    std::swap(almost[n / 2], almost[n - 1]);
    sorts_in_turn(homes, original, expected, turn, sort_by_less);
    sorts_in_turn(homes, almost, expected, turn + 1, sort_by_less);
  }
}

/// Sorts `n` values that are of these kinds, and keeps the signs of zeros.
template <class Real, class Compare>
void sorts_kinds(std::span<const Real> kinds, std::size_t n, Compare comp) {
  const auto is_minus_zero = [](Real x) { return x == 0 && std::signbit(x); };
  std::vector<Real> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = kinds[i * i % 31 % kinds.size()];
  }
  std::vector<Real> wanted = values;
  std::ranges::sort(wanted, comp);
  const auto num_minus_zeros = std::ranges::count_if(values, is_minus_zero);

  weft::sort(weft::par, values.begin(), values.end(), comp);

  EXPECT_EQ(values, wanted) << n << " of " << kinds.size() << " kinds";
  EXPECT_EQ(std::ranges::count_if(values, is_minus_zero), num_minus_zeros) << n;
}

/// With the first few of these kinds, and with more.
template <class Real, std::size_t num_all>
void sorts_few_kinds(const std::array<Real, num_all>& all,
                     const std::array<std::size_t, 3>& nums_kinds) {
  std::size_t turn = sizeof(Real) / 4;
  for (const std::size_t n : sizes) {
    for (std::size_t i = 0; i < nums_kinds.size(); ++i) {
      const std::span<const Real> kinds = std::span(all).first(nums_kinds[i]);
      if (takes_turn(n, i, nums_kinds.size(), turn)) {
        sorts_kinds<Real>(kinds, n, std::less<>());
      }
      if (takes_turn(n, i, nums_kinds.size(), turn + 1)) {
        sorts_kinds<Real>(kinds, n, std::greater<>());
      }
    }
    ++turn;
  }
}

template <class Real>
void sorts_infinities() {
  using limits = std::numeric_limits<Real>;
  const std::array<Real, 7> extremes{
      limits::infinity(), -limits::infinity(), limits::max(), limits::lowest(), 0, 1, -1};
  sorts_few_kinds(extremes, {2, 4, 7});  // infinities, and others among them
}

TEST(Sort, keeps_infinities) {
  sorts_infinities<float>();
  sorts_infinities<double>();
}

template <class Real>
void keeps_signs_of_zeros() {
  sorts_few_kinds(std::array{Real{0.0}, Real{-0.0}, Real{1}, Real{-1}}, {2, 3, 4});
}

TEST(Sort, keeps_signs_of_zeros) {
  keeps_signs_of_zeros<float>();
  keeps_signs_of_zeros<double>();
}

TEST(Sort, sorts_descending_elements_of_which_some_are_equal) {
  sorts_descending_with_ties<int>();
  sorts_descending_with_ties<std::uint64_t>();
  sorts_descending_with_ties<double>();
  sorts_descending_with_ties<std::string>();
}

/// How many comparisons a sort by two workers needs.
template <class T>
long num_comparisons(std::vector<T> values) {
  weft::runtime home(workers(2));
  std::atomic<long> count{0};
  weft::sort(weft::par.on(home), values.begin(), values.end(), [&count](const T& a, const T& b) {
    count.fetch_add(1, std::memory_order_relaxed);
    return a < b;
  });
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
  return count.load();
}

TEST(Sort, reverses_descending_elements_of_which_some_are_equal) {
  constexpr std::size_t n = 20'000;

  EXPECT_LE(num_comparisons(descending_with_ties<int>(n)), 2 * n);
  EXPECT_LE(num_comparisons(descending_with_ties<std::string>(n)), 2 * n);
}

TEST(Sort, compares_with_few_elements_where_few_are_different) {
  const std::vector<int> numbers_of_five = numbers(pattern::few_distinct, most);

  EXPECT_LE(num_comparisons(values_of<std::string>(numbers_of_five)), 5 * most);
}

template <class First, class Second>
void sorts_pairs(std::size_t turn) {
  using pair = std::pair<First, Second>;
  const auto homes = runtimes_of<2>({1, 3});
  for (const std::size_t n : sizes) {
    std::vector<pair> original;
    std::uint64_t mixed = 1;
    for (std::size_t i = 0; i < n; ++i) {
      mixed = mixed * 6364136223846793005U + 1442695040888963407U;
      original.emplace_back(static_cast<First>(mixed >> 32U) >> (i % 2 == 0 ? 0U : 29U),
                            static_cast<Second>(mixed >> 13U));
    }
    if (n > 3) {
      original[1] = {std::numeric_limits<First>::min(), std::numeric_limits<Second>::max()};
      original[2] = {std::numeric_limits<First>::max(), std::numeric_limits<Second>::min()};
    }
    std::vector<pair> expected = original;
    std::sort(expected.begin(), expected.end());
    const std::vector<pair> opposite(expected.rbegin(), expected.rend());
    sorts_in_turn(homes, original, expected, turn, sort_by_less);
    sorts_in_turn(homes, original, opposite, turn + 1, [](auto how, auto first, auto last) {
      weft::sort(how, first, last, std::greater<>());
    });
    sorts_in_turn(homes, original, expected, turn, [](auto how, auto first, auto last) {
      weft::stable_sort(how, first, last);
    });
    sorts_in_turn(homes, original, expected, turn + 1, [](auto how, auto first, auto last) {
      weft::sort(how, first, last, [](const pair& a, const pair& b) { return a < b; });
    });
    ++turn;
  }
}

TEST(Sort, sorts_pairs_of_numbers) {
  sorts_pairs<int, int>(0);
  sorts_pairs<unsigned, int>(1);
  sorts_pairs<int, unsigned>(0);
  sorts_pairs<std::int64_t, std::int16_t>(1);
}

TEST(Sort, sorts_what_can_only_be_moved) {
  std::deque<std::unique_ptr<int>> values;
  for (const int x : numbers(pattern::random, 20000)) {
    values.push_back(std::make_unique<int>(x));
  }
  const auto comp = [](const auto& a, const auto& b) { return *a < *b; };

  weft::sort(weft::par, values.begin(), values.end(), comp);
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end(), comp));

  std::reverse(values.begin(), values.end());
  std::swap(values.front(), values.back());
  weft::stable_sort(weft::par, values.begin(), values.end(), comp);
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end(), comp));
}

TEST(Sort, sorts_proxies) {
  std::vector<bool> values(20000);
  for (std::size_t i = 0; i < values.size(); i += 3) {
    values[i] = true;
  }
  const auto num_true = std::count(values.begin(), values.end(), true);

  weft::sort(weft::par, values.begin(), values.end());

  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
  EXPECT_EQ(std::count(values.begin(), values.end(), true), num_true);
}

TEST(Sort, sorts_later_for_a_future) {
  std::vector<int> values = numbers(pattern::random, 100000);

  weft::sort(weft::par(weft::as_future), values.begin(), values.end()).get();

  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
}

template <class T>
void rethrows_and_leaves() {
  const std::vector<T> original = values_of<T>(numbers(pattern::random, 20000));
  for (const long calls : {0L, 1L, 3000L, 30000L, 100000L, 150000L}) {
    std::vector<T> values = original;
    std::vector<T> stably = original;
    std::atomic<long> calls_left{calls};
    const weft::test::throwing_less comp(calls_left);

    EXPECT_THROW(weft::sort(weft::par, values.begin(), values.end(), comp), std::runtime_error);
    calls_left = calls;
    EXPECT_THROW(weft::stable_sort(weft::par, stably.begin(), stably.end(), comp),
                 std::runtime_error);

    if constexpr (!std::is_trivial_v<T>) {
      EXPECT_EQ(stably, original);
    }
  }
}

TEST(Sort, rethrows_what_a_comparison_throws) {
  rethrows_and_leaves<int>();
  rethrows_and_leaves<std::string>();
}

struct huge {
  int key;
  std::array<char, 252> ballast{};
  huge(int k) : key(k) {}  // NOLINT(google-explicit-constructor): as numbers are made values
  friend bool operator<(const huge& a, const huge& b) { return a.key < b.key; }
  friend bool operator==(const huge& a, const huge& b) { return a.key == b.key; }
};

template <std::size_t size>
constexpr bool is_sorted_by_blocks = weft::algorithms::detail::is_block_sortable<
    typename std::vector<std::array<char, size>>::iterator>;
static_assert(is_sorted_by_blocks<256> && !is_sorted_by_blocks<257>);

/// Buckets of so many bytes are sorted by blocks again.
constexpr std::size_t deep_bytes = std::size_t{64} << 10U;

template <class T, class Compare>
[[nodiscard]] bool sort_by_blocks(weft::runtime& home, std::vector<T>& values, Compare& comp) {
  const auto how = weft::par.on(home).with(weft::in_place);
  return weft::algorithms::detail::block_sort<std::remove_const_t<decltype(how)>,
                                              typename std::vector<T>::iterator,
                                              Compare,
                                              deep_bytes>(how, values.begin(), values.size(), comp)
      .run();
}

template <class T>
void sorts_by_blocks(std::size_t largest, std::size_t turn) {
  const auto homes = runtimes_of<3>({1, 3, 7});
  for (const std::size_t n : {std::size_t{100}, std::size_t{2000}, largest}) {
    for (const pattern which : all_patterns) {
      const std::vector<T> original = values_of<T>(numbers(which, n));
      std::vector<T> expected = original;
      std::sort(expected.begin(), expected.end());
      for (std::size_t home = 0; home < homes.size(); ++home) {
        if (takes_turn(n, home, homes.size(), turn)) {
          std::vector<T> values = original;
          std::less<> comp;
          ASSERT_TRUE(sort_by_blocks(*homes[home], values, comp));
          ASSERT_TRUE(values == expected) << n << " in pattern " << static_cast<int>(which);
        }
      }
      ++turn;
    }
  }
}

TEST(Sort, exchanges_blocks_in_place) {
  sorts_by_blocks<double>(70'001, 2);
  sorts_by_blocks<std::string>(20'017, 1);
  sorts_by_blocks<huge>(10'007, 0);
}

TEST(Sort, loses_no_element_in_blocks_whatever_a_comparison_throws) {
  weft::runtime home(workers(3));
  const std::vector<std::string> original = values_of<std::string>(numbers(pattern::random, 9000));
  std::vector<std::string> sorted = original;
  std::sort(sorted.begin(), sorted.end());
  for (const long calls :
       {0L, 1L, 500L, 3000L, 15'000L}) {  // of 18 thousand before parts are sorted
    std::vector<std::string> values = original;
    std::atomic<long> calls_left{calls};
    const weft::test::throwing_less comp(calls_left);

    EXPECT_THROW(static_cast<void>(sort_by_blocks(home, values, comp)), std::runtime_error);

    std::sort(values.begin(), values.end());
    EXPECT_TRUE(values == sorted) << calls;
  }
}

TEST(Sort, sorts_buckets_by_blocks_again_whatever_a_comparison_throws) {
  constexpr std::size_t n = 20'017;  // 8 leaves of some 80 KiB of strings: more than `deep_bytes`
  static_assert(n / 8 * sizeof(std::string) > deep_bytes);
  const std::vector<std::string> original = values_of<std::string>(numbers(pattern::random, n));
  std::vector<std::string> sorted = original;
  std::sort(sorted.begin(), sorted.end());
  // Some 3 n + 500 comparisons are over before the first bucket is sent to its own ones.
  for (const long calls : {2000L, 4000L}) {
    weft::runtime alone(workers(1));
    std::vector<std::string> values = original;
    std::atomic<long> calls_left{3 * static_cast<long>(n) + calls};
    const weft::test::throwing_less comp(calls_left);

    EXPECT_THROW(static_cast<void>(sort_by_blocks(alone, values, comp)), std::runtime_error);

    std::sort(values.begin(), values.end());
    EXPECT_TRUE(values == sorted) << calls;
  }
  weft::runtime home(workers(4));
  for (const long calls : {90'000L, 200'000L}) {
    std::vector<std::string> values = original;
    std::atomic<long> calls_left{calls};
    const weft::test::throwing_less comp(calls_left);

    EXPECT_THROW(static_cast<void>(sort_by_blocks(home, values, comp)), std::runtime_error);

    values = original;
    std::less<> whole;
    EXPECT_TRUE(sort_by_blocks(home, values, whole));
    EXPECT_TRUE(values == sorted) << calls;
  }
}

struct keyed {
  int key;
  int place;
};

template <class T>
void keeps_order_of_equal() {
  for (const std::size_t n : {30U, 1000U, 5000U, 60000U}) {
    const std::vector<int> keys = numbers(pattern::few_distinct, n);
    std::vector<T> values;
    values.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
      values.emplace_back(T{keys[i], static_cast<int>(i)});
    }

    weft::stable_sort(weft::par, values.begin(), values.end(), [](const T& a, const T& b) {
      return a.key < b.key;
    });

    EXPECT_TRUE(std::is_sorted(values.begin(), values.end(), [](const T& a, const T& b) {
      return std::pair(a.key, a.place) < std::pair(b.key, b.place);
    }));
  }
}

struct huge_keyed : keyed {
  alignas(64) std::array<char, 200> ballast{};
  huge_keyed(int k, int p) : keyed{k, p} {}
};

TEST(StableSort, keeps_the_order_of_equal_elements) {
  keeps_order_of_equal<keyed>();
  keeps_order_of_equal<huge_keyed>();
}

TEST(StableSort, keeps_the_order_of_zeros_with_signs) {
  std::vector<double> values;
  for (const int x : numbers(pattern::few_distinct, 50000)) {
    values.push_back(x == 2 ? -0.0 : static_cast<double>(x - 3));
  }
  std::vector<double> expected;  // in which zeros stand as they do in `values`
  for (const double each : {-3.0, -2.0, 0.0, 1.0}) {
    std::copy_if(values.begin(), values.end(), std::back_inserter(expected), [each](double x) {
      return x == each;
    });
  }

  weft::stable_sort(weft::par, values.begin(), values.end());

  EXPECT_TRUE(std::equal(
      values.begin(), values.end(), expected.begin(), expected.end(), [](double a, double b) {
        return a == b && std::signbit(a) == std::signbit(b);
      }));
}

}  // namespace sort_test
