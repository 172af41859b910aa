// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements that are huge, aligned to more than a cache line and without a default value; outputs
// that are inputs; numbers that equal others than they look like; comparisons of every form.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms.hpp"

#include "algorithms/map_support.hpp"

namespace elements_test {

/// A key and a place, in so many bytes on a border of 128.
template <std::size_t bytes>
struct alignas(128) bulky {
  explicit bulky(int k, int p = 0) : key(k), place(p) { ballast.back() = static_cast<char>(k); }
  int key;
  int place;
  std::array<char, bytes - 2 * sizeof(int)> ballast{};

  [[nodiscard]] bool is_whole() const {
    return reinterpret_cast<std::uintptr_t>(this) % 128 == 0 &&
           ballast.back() == static_cast<char>(key);
  }
  friend bool operator==(const bulky& a, const bulky& b) {
    return a.key == b.key && a.place == b.place && a.is_whole() && b.is_whole();
  }
  friend bool operator<(const bulky& a, const bulky& b) { return a.key < b.key; }
};

/// As a stable sort has elements that stand in the order of their places.
template <class T>
bool comes_first(const T& a, const T& b) {
  return std::pair(a.key, a.place) < std::pair(b.key, b.place);
}

template <class T>
std::vector<T> drawn(std::size_t n, unsigned seed = 1) {
  std::minstd_rand random(seed);
  std::vector<T> values;
  values.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    values.emplace_back(static_cast<int>(random() % (n / 2 + 1)), static_cast<int>(i));
  }
  return values;
}

class Elements : public weft::test::on_workers {
 protected:
  [[nodiscard]] auto cut() { return weft::par.on(runtime).with(weft::dynamic_chunk_size{100}); }
};

/// Calls `ours(range)` and `theirs(range)` for a copy of `values` each, and wants the same result.
template <class T>
void agree(const std::vector<T>& values, auto&& ours, auto&& theirs) {
  std::vector<T> found = values;
  std::vector<T> expected = values;
  ours(found);
  theirs(expected);
  ASSERT_TRUE(found == expected) << values.size();
}

template <class T>
void moves_elements(const auto& how, std::size_t n) {
  const std::vector<T> values = drawn<T>(n);
  const auto size = static_cast<std::ptrdiff_t>(n);
  for (const std::ptrdiff_t m : {std::ptrdiff_t{0}, std::ptrdiff_t{1}, size / 3, size - 1, size}) {
    if (m < 0 || m > size) {
      continue;
    }
    agree(
        values,
        [&](auto& v) { weft::rotate(how, v.begin(), v.begin() + m, v.end()); },
        [&](auto& v) { std::rotate(v.begin(), v.begin() + m, v.end()); });
    agree(
        values,
        [&](auto& v) { v.erase(weft::shift_left(how, v.begin(), v.end(), m), v.end()); },
        [&](auto& v) { v.erase(v.begin(), v.begin() + (m < size ? m : size)); });
    agree(
        values,
        [&](auto& v) { v.erase(v.begin(), weft::shift_right(how, v.begin(), v.end(), m)); },
        [&](auto& v) { v.erase(v.end() - m, v.end()); });
  }
  agree(
      values,
      [&](auto& v) { weft::reverse(how, v.begin(), v.end()); },
      [](auto& v) { std::reverse(v.begin(), v.end()); });
  const auto is_odd = [](const T& x) { return x.key % 2 != 0; };
  agree(
      values,
      [&](auto& v) { v.erase(weft::remove_if(how, v.begin(), v.end(), is_odd), v.end()); },
      [&](auto& v) { std::erase_if(v, is_odd); });
  agree(
      values,
      [&](auto& v) { weft::stable_partition(how, v.begin(), v.end(), is_odd); },
      [&](auto& v) {
        std::vector<T> parted;
        std::copy_if(v.begin(), v.end(), std::back_inserter(parted), is_odd);
        std::remove_copy_if(v.begin(), v.end(), std::back_inserter(parted), is_odd);
        v = parted;
      });
  agree(
      values,
      [&](auto& v) { weft::stable_sort(how, v.begin(), v.end()); },
      [](auto& v) { std::sort(v.begin(), v.end(), comes_first<T>); });
}

template <class T>
void copies_elements(const auto& how, std::size_t n) {
  const std::vector<T> values = drawn<T>(n);
  const std::vector<T> room(2 * n, T(-1));
  const auto is_odd = [](const T& x) { return x.key % 2 != 0; };
  const auto written = [&](auto&& ours, auto&& theirs) {
    std::vector<T> found = room;
    std::vector<T> expected = room;
    const auto found_end = ours(found.begin());
    const auto expected_end = theirs(expected.begin());
    ASSERT_EQ(found_end - found.begin(), expected_end - expected.begin());
    ASSERT_TRUE(found == expected) << n;
  };
  written([&](auto to) { return weft::copy(how, values.begin(), values.end(), to); },
          [&](auto to) { return std::copy(values.begin(), values.end(), to); });
  written([&](auto to) { return weft::copy_if(how, values.begin(), values.end(), to, is_odd); },
          [&](auto to) { return std::copy_if(values.begin(), values.end(), to, is_odd); });
  const auto sum = [](const T& a, const T& b) { return T((a.key + b.key) % 1000, b.place); };
  written([&](auto to) { return weft::inclusive_scan(how, values.begin(), values.end(), to, sum); },
          [&](auto to) { return std::inclusive_scan(values.begin(), values.end(), to, sum); });
  std::vector<T> sorted = values;
  std::sort(sorted.begin(), sorted.end(), comes_first<T>);
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(n / 3);
  std::vector<T> others = drawn<T>(n, 2);
  std::sort(others.begin(), others.end(), comes_first<T>);
  written(
      [&](auto to) {
        return weft::merge(how, sorted.begin(), sorted.end(), others.begin(), others.end(), to);
      },
      [&](auto to) {
        return std::merge(sorted.begin(), sorted.end(), others.begin(), others.end(), to);
      });
  written(
      [&](auto to) {
        return weft::set_union(how, sorted.begin(), sorted.end(), middle, sorted.end(), to);
      },
      [&](auto to) {
        return std::set_union(sorted.begin(), sorted.end(), middle, sorted.end(), to);
      });
}

template <class T>
void orders_elements(const auto& how, std::size_t n) {
  const std::vector<T> values = drawn<T>(n);
  std::vector<T> sorted = values;
  std::sort(sorted.begin(), sorted.end(), comes_first<T>);
  std::vector<T> parts = values;
  const auto has_keys_of_sorted = [&](const auto& first, std::size_t count) {
    return std::equal(
        first, first + static_cast<std::ptrdiff_t>(count), sorted.begin(), [](auto& a, auto& b) {
          return a.key == b.key && a.is_whole();
        });
  };

  weft::sort(how, parts.begin(), parts.end());
  EXPECT_TRUE(has_keys_of_sorted(parts.begin(), n));
  parts = values;
  weft::sort(how.with(weft::in_place), parts.begin(), parts.end());
  EXPECT_TRUE(has_keys_of_sorted(parts.begin(), n));
  parts = values;
  weft::partial_sort(
      how, parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(n / 3), parts.end());
  EXPECT_TRUE(has_keys_of_sorted(parts.begin(), n / 3));
  std::vector<T> least(n / 4, T(-1));
  weft::partial_sort_copy(how, values.begin(), values.end(), least.begin(), least.end());
  EXPECT_TRUE(has_keys_of_sorted(least.begin(), n / 4));
  std::vector<int> keys(n);
  std::transform(values.begin(), values.end(), keys.begin(), [](const T& x) { return x.key; });
  parts = values;
  weft::sort_by_key(how, keys.begin(), keys.end(), parts.begin());
  EXPECT_TRUE(parts == sorted);
  if (n != 0) {
    EXPECT_EQ(weft::min_element(how, values.begin(), values.end()),
              std::min_element(values.begin(), values.end()));
    const auto nth = parts.begin() + static_cast<std::ptrdiff_t>(n / 2);
    parts = values;
    weft::nth_element(how, parts.begin(), nth, parts.end());
    EXPECT_EQ(nth->key, sorted[n / 2].key);
  }
}

TEST_P(Elements, may_be_large_and_aligned_to_more_than_a_line) {
  using large = bulky<384>;
  for (const std::size_t n : {0U, 1U, 2U, 3U, 99U, 101U, 5'000U}) {
    moves_elements<large>(cut(), n);
    copies_elements<large>(cut(), n);
    orders_elements<large>(measured(), n);
  }
}

TEST_P(Elements, may_be_larger_than_what_algorithms_hold_at_a_time) {
  moves_elements<bulky<std::size_t{64} << 10U>>(cut(), 40);
}

TEST_P(Elements, of_the_output_may_be_those_of_the_input) {
  std::vector<double> numbers(70'001);
  std::iota(numbers.begin(), numbers.end(), 0.0);
  std::vector<std::uint32_t> whole(numbers.begin(), numbers.end());
  const auto twice = [](auto x) { return x + x; };
  const auto check = [&](const auto& values, const auto& how) {
    using number = typename std::remove_cvref_t<decltype(values)>::value_type;
    const std::plus<> add;
    agree(
        values,
        [&](auto& v) { weft::inclusive_scan(how, v.begin(), v.end(), v.begin()); },
        [](auto& v) { std::inclusive_scan(v.begin(), v.end(), v.begin()); });
    agree(
        values,
        [&](auto& v) { weft::exclusive_scan(how, v.begin(), v.end(), v.begin(), number{3}); },
        [](auto& v) { std::exclusive_scan(v.begin(), v.end(), v.begin(), number{3}); });
    agree(
        values,
        [&](auto& v) {
          weft::transform_inclusive_scan(how, v.begin(), v.end(), v.begin(), add, twice);
        },
        [&](auto& v) { std::transform_inclusive_scan(v.begin(), v.end(), v.begin(), add, twice); });
    agree(
        values,
        [&](auto& v) {
          weft::transform_exclusive_scan(how, v.begin(), v.end(), v.begin(), number{3}, add, twice);
        },
        [&](auto& v) {
          std::transform_exclusive_scan(v.begin(), v.end(), v.begin(), number{3}, add, twice);
        });
    agree(
        values,
        [&](auto& v) {
          weft::transform(how, v.begin(), v.end(), values.begin(), v.begin(), std::minus<>());
        },
        [&](auto& v) { std::fill(v.begin(), v.end(), number{0}); });
    agree(
        values,
        [&](auto& v) {
          weft::transform(how, values.begin(), values.end(), v.begin(), v.begin(), add);
        },
        [&](auto& v) { std::transform(v.begin(), v.end(), v.begin(), twice); });
  };
  check(numbers, cut());
  check(numbers, measured());
  check(whole, cut());
  check(whole, measured());
}

/// Each of `values` is found among elements where the language says that they are equal.
template <class Element, class Value>
void equals_as_in_the_language(std::initializer_list<Element> elements,
                               std::initializer_list<Value> values) {
  std::vector<Element> all(100, Element{7});
  for (const Element x : elements) {
    all.push_back(x);
    all.insert(all.end(), 40, Element{7});
  }
  using common = std::common_type_t<Element, Value>;
  for (const Value wanted : values) {
    const auto is_wanted = [wanted](Element x) {
      return static_cast<common>(x) == static_cast<common>(wanted);
    };
    const auto count = std::count_if(all.begin(), all.end(), is_wanted);
    EXPECT_EQ(weft::find(weft::par, all.begin(), all.end(), wanted),
              std::find_if(all.begin(), all.end(), is_wanted))
        << wanted;
    EXPECT_EQ(weft::count(weft::par, all.begin(), all.end(), wanted), count) << wanted;
    EXPECT_EQ(weft::contains(weft::par, all.begin(), all.end(), wanted), count != 0) << wanted;
  }
}

TEST(Elements, equal_values_of_other_types_as_the_language_has_it) {
  equals_as_in_the_language<std::int8_t, int>({-56, -1}, {200, -56, 255, -1, 456});
  equals_as_in_the_language<std::uint8_t, int>({200, 255}, {200, -56, 255, -1, 456});
  equals_as_in_the_language<unsigned, int>({4'294'967'295U, 5U}, {-1, 5});
  equals_as_in_the_language<int, unsigned>({-1, 5}, {4'294'967'295U, 5U});
  equals_as_in_the_language<std::int64_t, unsigned>({-1, 4'294'967'295}, {4'294'967'295U});
  equals_as_in_the_language<int, double>({2, 3}, {2.5, 3.0, -0.0});
  equals_as_in_the_language<std::int64_t, double>({9'007'199'254'740'993, 9'007'199'254'740'992},
                                                  {9'007'199'254'740'992.0});
  equals_as_in_the_language<float, double>({0.1F, 0.5F}, {0.1, 0.5});
}

TEST(Elements, that_are_no_numbers_or_zeros_with_signs_compare_as_numbers_do) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> all(300, 1.0);
  all[100] = nan;
  all[101] = nan;
  all[150] = -0.0;
  all[200] = 0.0;
  const auto place = [&](auto it) { return it - all.begin(); };

  EXPECT_EQ(weft::find(weft::par, all.begin(), all.end(), nan), all.end());
  EXPECT_EQ(weft::count(weft::par, all.begin(), all.end(), nan), 0);
  EXPECT_EQ(place(weft::find(weft::par, all.begin(), all.end(), 0.0)), 150);
  EXPECT_EQ(place(weft::find_last(weft::par, all.begin(), all.end(), -0.0)), 200);
  EXPECT_EQ(weft::count(weft::par, all.begin(), all.end(), -0.0), 2);
  EXPECT_EQ(place(weft::mismatch(weft::par, all.begin(), all.end(), all.begin()).first), 100);
  EXPECT_FALSE(weft::equal(weft::par, all.begin(), all.end(), all.begin()));
  EXPECT_EQ(weft::search(weft::par, all.begin(), all.end(), all.begin() + 100, all.begin() + 101),
            all.end());
  EXPECT_EQ(place(weft::adjacent_find(weft::par, all.begin() + 99, all.begin() + 103)), 103);
  EXPECT_EQ(place(weft::unique(weft::par, all.begin() + 99, all.begin() + 103)), 103);
  EXPECT_EQ(weft::remove(weft::par, all.begin(), all.end(), nan), all.end());
  weft::replace(weft::par, all.begin(), all.end(), nan, 5.0);
  EXPECT_TRUE(std::isnan(all[101]));
  weft::replace(weft::par, all.begin(), all.end(), 1.0, 1.0);
  EXPECT_EQ(weft::count(weft::par, all.begin(), all.end(), 1.0), 296);
  all[100] = all[101] = 1;
  EXPECT_EQ(place(weft::min_element(weft::par, all.begin(), all.end())), 150);
  std::ranges::for_each(all, [](double& x) { x = -x; });
  EXPECT_EQ(place(weft::max_element(weft::par, all.begin(), all.end())), 150);
  EXPECT_EQ(place(weft::minmax_element(weft::par, all.begin(), all.end()).second), 200);
}

TEST(Elements, may_be_volatile) {
  std::array<volatile int, 300> all{};
  std::iota(all.begin(), all.end(), 0);
  const auto how = weft::par;

  EXPECT_EQ(weft::find(how, all.begin(), all.end(), 200) - all.begin(), 200);
  EXPECT_EQ(weft::find_last(how, all.begin(), all.end(), 200) - all.begin(), 200);
  EXPECT_EQ(weft::count(how, all.begin(), all.end(), 7), 1);
  EXPECT_EQ(weft::max_element(how, all.begin(), all.end()), all.end() - 1);
  EXPECT_TRUE(weft::is_sorted(how, all.begin(), all.end()));
  EXPECT_TRUE(weft::equal(how, all.begin(), all.end(), all.begin()));
  EXPECT_EQ(weft::adjacent_find(how, all.begin(), all.end()), all.end());
  EXPECT_EQ(weft::search(how, all.begin(), all.end(), all.begin() + 9, all.begin() + 12),
            all.begin() + 9);
  EXPECT_EQ(weft::reduce(how, all.begin(), all.end(), 0), 299 * 150);
  weft::replace(how, all.begin(), all.end(), 3, 4);
  weft::fill(how, all.begin() + 10, all.end(), 5);
  weft::copy(how, all.begin(), all.begin() + 10, all.begin() + 20);
  weft::reverse(how, all.begin(), all.begin() + 10);
  EXPECT_EQ(all[6], 4);
  EXPECT_EQ(all[29], 9);
}

bool is_less(int a, int b) { return a < b; }

/// Counts its calls, and says yes or no with a number.
struct counting_less {
  int num_calls = 0;
  int operator()(int a, int b) {
    ++num_calls;
    return a < b ? 2 : 0;
  }
};

template <class Compare>
void orders_by(const Compare& less) {
  const auto how = weft::seq;
  std::vector<int> random(5'000);
  std::minstd_rand numbers(1);
  std::generate(random.begin(), random.end(), [&] { return static_cast<int>(numbers() % 999); });
  std::vector<int> sorted = random;
  std::sort(sorted.begin(), sorted.end());
  std::vector<int> found = random;
  const auto middle = found.begin() + 2'000;
  std::vector<int> out(2 * random.size());

  weft::sort(how, found.begin(), found.end(), less);
  EXPECT_EQ(found, sorted);
  found = random;
  weft::stable_sort(how, found.begin(), found.end(), less);
  EXPECT_EQ(found, sorted);
  found = random;
  weft::partial_sort(how, found.begin(), middle, found.end(), less);
  EXPECT_TRUE(std::equal(found.begin(), middle, sorted.begin()));
  found = random;
  weft::nth_element(how, found.begin(), middle, found.end(), less);
  EXPECT_EQ(*middle, sorted[2'000]);
  std::sort(found.begin(), middle);
  std::sort(middle, found.end());
  EXPECT_TRUE(
      std::equal(out.begin(),
                 weft::merge(how, found.begin(), middle, middle, found.end(), out.begin(), less),
                 sorted.begin(),
                 sorted.end()));
  weft::inplace_merge(how, found.begin(), middle, found.end(), less);
  EXPECT_EQ(found, sorted);
  EXPECT_EQ(weft::set_union(
                how, sorted.begin(), sorted.end(), found.begin(), found.end(), out.begin(), less),
            out.begin() + 5'000);
  EXPECT_TRUE(weft::includes(how, sorted.begin(), sorted.end(), middle, found.end(), less));
  EXPECT_TRUE(weft::is_sorted(how, sorted.begin(), sorted.end(), less));
  const std::vector<int> falling(sorted.rbegin(), sorted.rend());
  EXPECT_TRUE(weft::is_heap(how, falling.begin(), falling.end(), less));
  EXPECT_EQ(*weft::min_element(how, random.begin(), random.end(), less), sorted.front());
  EXPECT_EQ(*weft::minmax_element(how, random.begin(), random.end(), less).second, sorted.back());
  EXPECT_FALSE(weft::lexicographical_compare(
      how, sorted.begin(), sorted.end(), found.begin(), found.end(), less));
}

TEST(Elements, are_compared_by_callables_of_every_form) {
  orders_by(is_less);
  orders_by(counting_less());
  orders_by(std::function<bool(const int&, const int&)>(std::less<int>()));
}

INSTANTIATE_TEST_SUITE_P(workers, Elements, testing::Values(1, 2, 7));

}  // namespace elements_test
