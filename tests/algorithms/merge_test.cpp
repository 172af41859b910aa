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
#include <initializer_list>
#include <iterator>
#include <list>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
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

/// The same on runtimes with each of these numbers of workers.
template <class T>
void agrees_on_pairs(std::initializer_list<std::size_t> nums_workers) {
  std::list<weft::runtime> homes;
  for (const std::size_t n : nums_workers) {
    homes.emplace_back(workers(n));
  }
  for (const sorted_pair<T>& in : sorted_pairs<T>()) {
    const auto& a = in.a;
    const auto& b = in.b;
    if (std::is_same_v<T, std::string> && std::min(a.size(), b.size()) > 5000) {
      continue;  // they are compared for too long, and 9000 are shared too
    }
    std::vector<T> out(a.size() + b.size());
    const auto agrees = [&](auto ours, auto theirs) {
      std::vector<T> expected;
      theirs(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
      return std::ranges::all_of(homes, [&](weft::runtime& home) {
        const auto end =
            ours(weft::par.on(home), a.begin(), a.end(), b.begin(), b.end(), out.begin());
        return std::equal(out.begin(), end, expected.begin(), expected.end());
      });
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

    std::vector<T> expected;
    std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
    const auto middle = static_cast<std::ptrdiff_t>(a.size());
    for (weft::runtime& home : homes) {
      std::vector<T> joined = a;
      joined.insert(joined.end(), b.begin(), b.end());
      weft::inplace_merge(
          weft::par.on(home), joined.begin(), joined.begin() + middle, joined.end());
      EXPECT_EQ(joined, expected);
    }
  }
}

TEST(Merge, merges_as_the_standard_does) {
  agrees_on_pairs<double>({1, 2, 7});
  agrees_on_pairs<int>({2});
  agrees_on_pairs<std::string>({2});
}

/// `n` sorted numbers from about -2^18 to 2^18, a third of them zeros, which have both signs.
template <class T, class Compare>
std::vector<T> signed_zeros_between(std::size_t n, std::uint32_t seed, Compare comp) {
  const std::vector<int> steps = numbers(pattern::few_distinct, n, seed);
  const std::size_t step = (std::size_t{3} << 17U) / n;
  const T scale = static_cast<T>(step);
  std::vector<T> made(n);
  T distance = 0;
  for (std::size_t i = n / 3; i-- > 0;) {
    made[i] = -(distance += scale * static_cast<T>(steps[i]));
  }
  distance = 0;
  for (std::size_t i = n / 3; i < n; ++i) {
    const T zero = i % 2 == 0 ? T{0} : -T{0};
    made[i] = i < n / 3 * 2 ? zero : (distance += scale * static_cast<T>(steps[i]));
  }
  if (comp(T{1}, T{0})) {
    std::ranges::reverse(made);
  }
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
       {std::pair{200U, 60U}, {500U, 600U}, {3000U, 3001U}, {40000U, 26001U}, {200000U, 63001U}}) {
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
  for (const std::size_t first_size : {std::size_t{3}, n / 3, n - 5}) {
    const std::vector<double> original = weft::test::two_ascending(first_size, n);
    const auto middle = static_cast<std::ptrdiff_t>(first_size);
    std::vector<double> expected(n);
    std::merge(original.begin(),
               original.begin() + middle,
               original.begin() + middle,
               original.end(),
               expected.begin());
    for (const std::size_t num_workers : {1U, 2U, 7U}) {
      weft::runtime home(workers(num_workers));
      std::vector<double> values = original;

      weft::inplace_merge(
          weft::par.on(home), values.begin(), values.begin() + middle, values.end());

      EXPECT_TRUE(values == expected) << first_size << " with " << num_workers;
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
