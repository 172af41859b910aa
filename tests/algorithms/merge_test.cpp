// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merges and set operations give what the standard's do.
#include "weft/algorithms/merge.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/inplace_merge.hpp"
#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/set_operations.hpp"
#include "weft/tasks/runtime.hpp"

#include "algorithms/sort_support.hpp"

namespace merge_test {

using weft::test::numbers;
using weft::test::pattern;
using weft::test::values_of;
using weft::test::workers;

template <class T>
struct sorted_pair {
  std::vector<T> a;
  std::vector<T> b;
};

/// Pairs that overlap, interleave, and repeat in all the ways that matter.
template <class T>
std::vector<sorted_pair<T>> sorted_pairs() {
  std::vector<sorted_pair<T>> made;
  const auto sorted = [](pattern which, std::size_t n, std::uint32_t seed, int divisor) {
    std::vector<int> plain = numbers(which, n, seed);
    for (int& x : plain) {
      x /= divisor;
    }
    std::vector<T> values = values_of<T>(plain);
    std::sort(values.begin(), values.end());
    return values;
  };
  for (const auto& [a, b] : {std::pair{0U, 0U},
                             {0U, 5U},
                             {1U, 1U},
                             {100U, 7U},
                             {35U, 30U},
                             {70U, 60U},
                             {300U, 500U},
                             {1500U, 24U},
                             {5000U, 4000U},
                             {9000U, 11001U},
                             {20000U, 3U}}) {
    made.push_back({sorted(pattern::random, a, 1, 1), sorted(pattern::random, b, 2, 1)});
    made.push_back({sorted(pattern::random, a, 1, 4096), sorted(pattern::random, b, 2, 4096)});
    made.push_back({sorted(pattern::equal, a, 1, 1), sorted(pattern::equal, b, 2, 1)});
    made.push_back(
        {sorted(pattern::few_distinct, a, 1, 1), sorted(pattern::few_distinct, b, 2, 1)});
    made.push_back({sorted(pattern::sorted, a, 1, 1), sorted(pattern::sorted, b, 2, 2)});
  }
  return made;
}

template <class T>
void agrees_on_pairs(weft::runtime& home) {
  const auto policy = weft::par.on(home);
  for (const sorted_pair<T>& in : sorted_pairs<T>()) {
    const auto& a = in.a;
    const auto& b = in.b;
    std::vector<T> out(a.size() + b.size());
    const auto agrees = [&](auto ours, auto theirs) {
      std::vector<T> expected;
      theirs(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
      const auto end = ours(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin());
      return std::vector<T>(out.begin(), end) == expected;
    };
#define WEFT_AGREES(ours, theirs)                                                                 \
  EXPECT_TRUE(                                                                                    \
      agrees([](auto&&... x) { return weft::ours(x...); }, [](auto... x) { std::theirs(x...); })) \
      << a.size() << " and " << b.size()
    WEFT_AGREES(merge, merge);
    WEFT_AGREES(set_union, set_union);
    WEFT_AGREES(set_intersection, set_intersection);
    WEFT_AGREES(set_difference, set_difference);
    WEFT_AGREES(set_symmetric_difference, set_symmetric_difference);
#undef WEFT_AGREES

    std::vector<T> joined = a;
    joined.insert(joined.end(), b.begin(), b.end());
    std::vector<T> expected;
    std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
    const auto middle = static_cast<std::ptrdiff_t>(a.size());
    weft::inplace_merge(policy, joined.begin(), joined.begin() + middle, joined.end());
    EXPECT_EQ(joined, expected);
  }
}

TEST(Merge, merges_as_the_standard_does) {
  for (const std::size_t n : {1U, 2U, 7U}) {
    weft::runtime home(workers(n));
    agrees_on_pairs<double>(home);
  }
  weft::runtime home(workers(2));
  agrees_on_pairs<int>(home);
  agrees_on_pairs<std::string>(home);
}

/// `n` sorted numbers on both sides of many zeros, which have both signs.
template <class T, class Compare>
std::vector<T> signed_zeros_between(std::size_t n, std::uint32_t seed, Compare comp) {
  std::vector<T> made = values_of<T>(numbers(pattern::random, n, seed));
  for (std::size_t i = 0; i < n; ++i) {
    const T distance = i % 3 == 0 ? T{0} : made[i] / 4096;
    made[i] = i % 2 == 0 ? distance : -distance;
  }
  std::ranges::sort(made, comp);  // zeros in any order
  return made;
}

template <class T>
bool are_same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return std::ranges::equal(
      a, b, [](T x, T y) { return x == y && std::signbit(x) == std::signbit(y); });
}

template <class T, class Compare>
void keeps_signs_of_zeros(weft::runtime& home, Compare comp) {
  const auto policy = weft::par.on(home);
  for (const auto& [n, m] :
       {std::pair{200U, 60U}, {500U, 600U}, {3000U, 3001U}, {70000U, 41000U}, {200000U, 90000U}}) {
    const std::vector<T> a = signed_zeros_between<T>(n, 1, comp);
    const std::vector<T> b = signed_zeros_between<T>(m, 2, comp);
    const auto agrees = [&](auto ours, auto theirs) {
      std::vector<T> expected;
      theirs(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected), comp);
      std::vector<T> out(expected.size() + 1, T{42});  // room for the result, and not for more
      const auto end = ours(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin(), comp);
      EXPECT_EQ(out.end() - end, 1);
      EXPECT_EQ(out.back(), T{42});
      out.pop_back();
      return are_same_bits(out, expected);
    };
#define WEFT_AGREES(ours, theirs)                                                                 \
  EXPECT_TRUE(                                                                                    \
      agrees([](auto&&... x) { return weft::ours(x...); }, [](auto... x) { std::theirs(x...); })) \
      << n << " and " << m
    WEFT_AGREES(merge, merge);
    WEFT_AGREES(set_union, set_union);
    WEFT_AGREES(set_intersection, set_intersection);
    WEFT_AGREES(set_difference, set_difference);
    WEFT_AGREES(set_symmetric_difference, set_symmetric_difference);
#undef WEFT_AGREES

    std::vector<T> joined = a;
    joined.insert(joined.end(), b.begin(), b.end());
    std::vector<T> expected;
    std::ranges::merge(a, b, std::back_inserter(expected), comp);
    const auto middle = joined.begin() + static_cast<std::ptrdiff_t>(n);
    weft::inplace_merge(policy, joined.begin(), middle, joined.end(), comp);
    EXPECT_TRUE(are_same_bits(joined, expected)) << n << " and " << m;
  }
}

TEST(Merge, keeps_the_signs_of_zeros) {
  weft::runtime home(workers(2));
  keeps_signs_of_zeros<double>(home, std::less<>());
  keeps_signs_of_zeros<float>(home, std::greater<>());
}

struct keyed {
  int key;
  int place;
  bool operator==(const keyed&) const = default;
};

struct less_key {
  bool operator()(const keyed& a, const keyed& b) const { return a.key < b.key; }
};

std::vector<keyed> keyed_values(std::size_t n, std::uint32_t seed, int first_place) {
  std::vector<int> keys = numbers(pattern::random, n, seed);
  for (int& key : keys) {
    key >>= 14;
  }
  std::sort(keys.begin(), keys.end());
  std::vector<keyed> made;
  made.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    made.push_back({keys[i], first_place + static_cast<int>(i)});
  }
  return made;
}

TEST(Merge, takes_equal_elements_from_the_first_range_first) {
  const std::vector<keyed> a = keyed_values(40000, 1, 0);
  const std::vector<keyed> b = keyed_values(30000, 2, 1000000);
  std::vector<keyed> out(a.size() + b.size());
  const auto agrees = [&](auto ours, auto theirs) {
    std::vector<keyed> expected;
    theirs(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected), less_key());
    const auto end =
        ours(weft::par, a.begin(), a.end(), b.begin(), b.end(), out.begin(), less_key());
    return std::vector<keyed>(out.begin(), end) == expected;
  };

  EXPECT_TRUE(
      agrees([](auto&&... x) { return weft::merge(x...); }, [](auto... x) { std::merge(x...); }));
  EXPECT_TRUE(agrees([](auto&&... x) { return weft::set_union(x...); },
                     [](auto... x) { std::set_union(x...); }));
  EXPECT_TRUE(agrees([](auto&&... x) { return weft::set_symmetric_difference(x...); },
                     [](auto... x) { std::set_symmetric_difference(x...); }));
  EXPECT_TRUE(agrees([](auto&&... x) { return weft::set_difference(x...); },
                     [](auto... x) { std::set_difference(x...); }));
}

TEST(Merge, takes_forward_iterators) {
  const std::forward_list<int> a{1, 3, 5};
  const std::list<int> b{2, 3, 6};
  std::list<int> out(6);

  const auto end = weft::merge(weft::par, a.begin(), a.end(), b.begin(), b.end(), out.begin());
  EXPECT_EQ(end, out.end());
  EXPECT_EQ(out, (std::list<int>{1, 2, 3, 3, 5, 6}));

  const auto last =
      weft::set_intersection(weft::par, a.begin(), a.end(), b.begin(), b.end(), out.begin());
  EXPECT_EQ(std::distance(out.begin(), last), 1);
  EXPECT_EQ(out.front(), 3);

  std::list<int> halves{1, 4, 2, 3};
  weft::inplace_merge(weft::par, halves.begin(), std::next(halves.begin(), 2), halves.end());
  EXPECT_EQ(halves, (std::list<int>{1, 2, 3, 4}));
}

TEST(InplaceMerge, moves_what_can_only_be_moved) {
  std::vector<std::unique_ptr<int>> values;
  values.reserve(20000);
  for (int i = 0; i < 20000; ++i) {
    values.push_back(std::make_unique<int>(i % 10000));
  }
  const auto comp = [](const auto& a, const auto& b) { return *a < *b; };

  weft::inplace_merge(weft::par, values.begin(), values.begin() + 10000, values.end(), comp);

  EXPECT_TRUE(std::is_sorted(values.begin(), values.end(), comp));
}

TEST(InplaceMerge, many_numbers_take_a_copy_of_the_first_range) {
  constexpr std::size_t n = (std::size_t{1} << 18U) + 4321;
  for (const std::size_t num_workers : {1U, 2U, 7U}) {
    weft::runtime home(workers(num_workers));
    for (const std::size_t first_size : {std::size_t{3}, n / 3, n - 5}) {
      std::vector<double> values = values_of<double>(numbers(pattern::random, n));
      const auto middle = values.begin() + static_cast<std::ptrdiff_t>(first_size);
      std::sort(values.begin(), middle);
      std::sort(middle, values.end());
      std::vector<double> expected(n);
      std::merge(values.begin(), middle, middle, values.end(), expected.begin());

      weft::inplace_merge(weft::par.on(home), values.begin(), middle, values.end());

      EXPECT_EQ(values, expected) << first_size << " with " << num_workers;
    }
  }
}

TEST(InplaceMerge, takes_equal_elements_from_the_first_range_first) {
  for (const std::size_t size : {40U, 400U, 3000U, 30000U}) {
    for (int i = 0; i < 3; ++i) {  // by both ways
      std::vector<keyed> values = keyed_values(size, 1, 0);
      const std::vector<keyed> b = keyed_values(size / 2, 2, 1000000);
      std::vector<keyed> expected;
      std::ranges::merge(values, b, std::back_inserter(expected), less_key());
      values.insert(values.end(), b.begin(), b.end());

      const auto middle = values.begin() + static_cast<std::ptrdiff_t>(size);
      weft::inplace_merge(weft::par, values.begin(), middle, values.end(), less_key());

      EXPECT_EQ(values, expected);
    }
  }
}

TEST(Merge, rethrows_what_a_comparison_throws) {
  std::vector<std::string> values = values_of<std::string>(numbers(pattern::random, 20000));
  const auto middle = values.begin() + 9000;
  std::sort(values.begin(), middle);
  std::sort(middle, values.end());
  const std::vector<std::string> original = values;
  std::vector<std::string> out(values.size());
  for (const long calls : {0L, 10L, 5000L, 15000L}) {
    std::atomic<long> calls_left{calls};
    const weft::test::throwing_less comp(calls_left);

    EXPECT_THROW(
        weft::merge(weft::par, values.begin(), middle, middle, values.end(), out.begin(), comp),
        std::runtime_error);
    calls_left = calls;
    EXPECT_THROW(
        weft::set_union(weft::par, values.begin(), middle, middle, values.end(), out.begin(), comp),
        std::runtime_error);
    calls_left = calls;
    EXPECT_THROW(weft::inplace_merge(weft::par, values.begin(), middle, values.end(), comp),
                 std::runtime_error);
    EXPECT_EQ(values, original);
  }
  std::vector<int> plain = numbers(pattern::sorted, 50000);
  std::vector<int> result(100000);
  std::atomic<long> calls_left{40000};
  EXPECT_THROW(weft::set_intersection(weft::par,
                                      plain.begin(),
                                      plain.end(),
                                      plain.begin(),
                                      plain.end(),
                                      result.begin(),
                                      weft::test::throwing_less(calls_left)),
               std::runtime_error);
}

TEST(Merge, elements_that_share_their_bytes_are_not_lost) {
  weft::runtime home(workers(4));
  const auto policy = weft::par.on(home).with(weft::static_chunk_size(97));
  std::vector<int> a(20011);
  std::vector<int> b(20021);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = i < a.size() / 3 ? 0 : 1;
  }
  for (std::size_t i = 0; i < b.size(); ++i) {
    b[i] = i < b.size() / 2 ? 0 : 1;
  }
  std::vector<int> expected(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin());
  std::vector<int> expected_union;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected_union));

  for (int i = 0; i < 20; ++i) {
    std::vector<bool> bits(expected.size());
    weft::merge(policy, a.begin(), a.end(), b.begin(), b.end(), bits.begin());
    ASSERT_TRUE(std::equal(bits.begin(), bits.end(), expected.begin()));

    std::vector<bool> joined(expected_union.size());
    weft::set_union(policy, a.begin(), a.end(), b.begin(), b.end(), joined.begin());
    ASSERT_TRUE(std::equal(joined.begin(), joined.end(), expected_union.begin()));
  }
}

}  // namespace merge_test
