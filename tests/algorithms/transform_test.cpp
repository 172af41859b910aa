// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// transform, replace and its relatives, adjacent_difference.
#include "weft/algorithms/transform.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <functional>
#include <list>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/adjacent_difference.hpp"
#include "weft/algorithms/detail/memory/streaming.hpp"
#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/replace.hpp"

#include "algorithms/map_support.hpp"

namespace transform_test {

using weft::test::counted;
using weft::test::sizes;

class Transform : public weft::test::on_workers {};

TEST_P(Transform, transforms_as_std_does) {
  const auto scaled = [](double x) { return 2.0 * x + 1.0; };
  for (const std::size_t n : sizes) {
    const auto a = counted<double>(n);
    std::vector<double> expected(n);
    std::vector<double> got(n + 1, -1.0);
    auto in_place = a;

    std::transform(a.begin(), a.end(), expected.begin(), scaled);
    const auto end = weft::transform(chunked(), a.begin(), a.end(), got.begin(), scaled);
    weft::transform(chunked(), in_place.begin(), in_place.end(), in_place.begin(), scaled);

    ASSERT_EQ(end - got.begin(), static_cast<std::ptrdiff_t>(n));
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), got.begin()));
    ASSERT_EQ(got.back(), -1.0);
    ASSERT_EQ(in_place, expected);
  }
}

TEST_P(Transform, transforms_two_ranges_as_std_does) {
  for (const std::size_t n : sizes) {
    const auto a = counted<int>(n);
    const std::vector<double> b(n, 0.5);
    std::vector<double> expected(n);
    std::vector<double> got(n);

    std::transform(a.begin(), a.end(), b.begin(), expected.begin(), std::plus<>{});
    const auto end =
        weft::transform(chunked(), a.begin(), a.end(), b.begin(), got.begin(), std::plus<>{});

    ASSERT_EQ(end, got.end());
    ASSERT_EQ(got, expected);
  }
}

TEST(TransformAlone, vectorised_without_workers) {
  const auto in = counted<float>(1000);
  std::vector<float> got(in.size());
  std::vector<float> expected(in.size());
  const float offset = 0.25F;
  const auto shifted = [offset](float x) { return x + offset; };

  std::transform(in.begin(), in.end(), expected.begin(), shifted);
  weft::transform(weft::unseq, in.begin(), in.end(), got.begin(), shifted);
  EXPECT_EQ(got, expected);

  weft::replace(weft::unseq, got.begin(), got.end(), 7.25F, 0.0F);
  std::replace(expected.begin(), expected.end(), 7.25F, 0.0F);
  EXPECT_EQ(got, expected);
}

TEST_P(Transform, results_may_be_of_any_type) {
  const auto in = counted<int>(3000);
  std::vector<std::string> words(in.size());
  std::list<int> listed(in.size());

  weft::transform(
      chunked(), in.begin(), in.end(), words.begin(), [](int x) { return std::to_string(x); });
  const auto end =
      weft::transform(chunked(), in.begin(), in.end(), listed.begin(), std::negate<>{});

  EXPECT_EQ(words[2999], "2999");
  EXPECT_EQ(end, listed.end());
  EXPECT_EQ(listed.back(), -2999);
}

TEST_P(Transform, writes_past_the_caches_what_is_larger_than_they_are) {
  const std::size_t n = weft::algorithms::detail::last_level_cache_bytes() / sizeof(float) + 1029;
  if (n > (std::size_t{32} << 20U)) {
    GTEST_SKIP() << "the last-level cache is larger than a test should be";
  }
  const std::vector<float> in(n, 2.0F);
  std::vector<float> out(n + 1, -1.0F);

  weft::transform(measured(), in.begin(), in.end(), out.begin(), [](float x) { return x + 1.0F; });

  EXPECT_EQ(std::count(out.begin(), out.end() - 1, 3.0F), static_cast<std::ptrdiff_t>(n));
  EXPECT_EQ(out.back(), -1.0F);
}

TEST_P(Transform, an_exception_comes_back_whatever_its_index) {
  const auto in = counted<int>(5000);
  std::vector<int> out(in.size());
  for (const int bad : {0, 1, 36, 37, 38, 2500, 4999}) {
    const auto throwing = [bad](int x) {
      if (x == bad) {
        throw std::out_of_range("transform");
      }
      return x;
    };
    EXPECT_THROW(weft::transform(chunked(), in.begin(), in.end(), out.begin(), throwing),
                 std::out_of_range);
  }
}

TEST_P(Transform, replaces_as_std_does) {
  for (const std::size_t n : sizes) {
    auto expected = counted<int>(n);
    std::transform(expected.begin(), expected.end(), expected.begin(), [](int x) { return x % 5; });
    auto got = expected;
    auto got_if = expected;
    std::vector<int> copied(n);
    std::vector<int> copied_if(n);
    const auto is_three = [](int x) { return x == 3; };

    weft::replace_copy(chunked(), got.begin(), got.end(), copied.begin(), 3, -7);
    weft::replace_copy_if(chunked(), got.begin(), got.end(), copied_if.begin(), is_three, -7);
    std::replace(expected.begin(), expected.end(), 3, -7);
    weft::replace(chunked(), got.begin(), got.end(), 3, -7);
    weft::replace_if(chunked(), got_if.begin(), got_if.end(), is_three, -7);

    ASSERT_EQ(got, expected);
    ASSERT_EQ(got_if, expected);
    ASSERT_EQ(copied, expected);
    ASSERT_EQ(copied_if, expected);
  }
}

TEST_P(Transform, replaces_where_hits_lie_close_and_far_apart_with_one_call_for_each_element) {
  const std::size_t n = 6007;
  std::vector<double> expected(n, 1.0);
  for (std::size_t i = 0; i < n; ++i) {
    const bool is_close = (i / 700) % 2 == 1 && i % 3 == 0;
    expected[i] = is_close || i % 997 == 5 ? 3.0 : -0.0;
  }
  auto got = expected;
  auto got_if = expected;
  std::atomic<std::size_t> num_calls{0};
  const auto is_three = [&num_calls](double x) {
    ++num_calls;
    return x == 3.0;
  };
  const auto in_blocks = weft::par.on(runtime).with(weft::dynamic_chunk_size{2500});

  weft::replace(in_blocks, got.begin(), got.end(), 3, 9.5);
  weft::replace_if(in_blocks, got_if.begin(), got_if.end(), is_three, 9.5);
  std::replace(expected.begin(), expected.end(), 3.0, 9.5);

  EXPECT_EQ(num_calls, n);
  EXPECT_EQ(got, expected);
  EXPECT_EQ(got_if, expected);
  EXPECT_TRUE(std::signbit(got[0]) && std::signbit(got_if[0]));
}

TEST(TransformAlone, replaces_a_value_by_one_of_another_type_whatever_the_policy) {
  const std::vector<int> in{3, 1, 3};
  const std::vector<int> expected{9, 1, 9};
  std::vector<int> got = in;
  std::vector<int> copied(3);
  std::vector<bool> bits{true, false, true};

  weft::replace(weft::seq, got.begin(), got.end(), 3L, 9.5);
  weft::replace_copy(weft::seq, in.begin(), in.end(), copied.begin(), 3L, 9.5);
  weft::replace(weft::par, bits.begin(), bits.end(), 1, false);

  EXPECT_EQ(got, expected);
  EXPECT_EQ(copied, expected);
  EXPECT_EQ(std::count(bits.begin(), bits.end(), true), 0);
}

TEST_P(Transform, zeros_are_replaced_by_zeros_of_the_other_sign) {
  for (const std::size_t n : {5U, 64U, 700U}) {
    std::vector<double> all(n, 0.0);
    all[n / 2] = 1.0;

    weft::replace(chunked(), all.begin(), all.end(), 0.0, -0.0);
    EXPECT_EQ(std::count_if(all.begin(), all.end(), [](double x) { return std::signbit(x); }),
              static_cast<std::ptrdiff_t>(n) - 1);

    weft::replace_if(chunked(), all.begin(), all.end(), [](double x) { return x < 1.0; }, 0.0);
    EXPECT_EQ(std::count_if(all.begin(), all.end(), [](double x) { return std::signbit(x); }), 0);
    EXPECT_EQ(all[n / 2], 1.0);
  }
}

TEST_P(Transform, replaces_numbers_of_every_width) {
  const auto check = [this]<class T>(T old, T with) {
    std::vector<T> expected(1003);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      expected[i] = i % 7 == 2 || i / 300 == 1 ? old : static_cast<T>(i % 2);
    }
    std::vector<T> got = expected;
    std::replace(expected.begin(), expected.end(), old, with);
    weft::replace(chunked(), got.begin(), got.end(), old, with);
    EXPECT_EQ(got, expected);
  };
  check(char{3}, char{-4});
  check(short{3}, short{-4});
  check(3.0F, -4.5F);
  check(3LL, -4LL);
}

TEST_P(Transform, replaces_words) {
  std::vector<std::string> words(1000, "yes");
  words[500] = "no";
  std::vector<std::string> out(words.size());

  weft::replace_copy(chunked(), words.begin(), words.end(), out.begin(), "no", "never");
  weft::replace(chunked(), words.begin(), words.end(), std::string("no"), std::string("never"));

  EXPECT_EQ(words[500], "never");
  EXPECT_EQ(out, words);
}

TEST_P(Transform, differences_of_neighbours) {
  for (const std::size_t n : sizes) {
    const auto in = counted<int>(n);
    std::vector<int> expected(n);
    std::vector<int> got(n);

    std::adjacent_difference(in.begin(), in.end(), expected.begin());
    const auto end = weft::adjacent_difference(chunked(), in.begin(), in.end(), got.begin());
    ASSERT_EQ(end, got.end());
    ASSERT_EQ(got, expected);

    const auto weighted = [](int x, int before) { return 3 * x - before; };
    std::adjacent_difference(in.begin(), in.end(), expected.begin(), weighted);
    weft::adjacent_difference(chunked(), in.begin(), in.end(), got.begin(), weighted);
    ASSERT_EQ(got, expected);

    std::fill(got.begin(), got.end(), -1);
    ASSERT_EQ(weft::adjacent_difference(weft::seq, in.begin(), in.end(), got.begin(), weighted),
              got.end());
    ASSERT_EQ(got, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(workers, Transform, testing::Values(1, 2, 7));

}  // namespace transform_test
