// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Algorithms on distributed vectors against those of the standard on the whole vector.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/policy.hpp"
#include "weft/base/error.hpp"
#include "weft/distributed/algorithms.hpp"
#include "weft/distributed/collectives.hpp"
#include "weft/distributed/distribution.hpp"
#include "weft/distributed/vector.hpp"

#include "tests/distributed/ranks.hpp"
#include "tests/distributed/vectors.hpp"

namespace wd = weft::distributed;

namespace vector_algorithms_test {
namespace {

using weft::test::expect_elements;
using weft::test::expected_numbers;
using weft::test::numbers;
using weft::test::value_at;
using weft::test::vector_shape;
using weft::test::with_shapes;

/// x -> factor * x + offset, modulo 2^32: composition is associative, but not commutative.
struct affine {
  std::uint32_t factor = 1;
  std::uint32_t offset = 0;
  friend bool operator==(const affine&, const affine&) = default;
};
affine after(const affine& first, const affine& second) {
  return {second.factor * first.factor, second.factor * first.offset + second.offset};
}
affine affine_at(std::size_t i) {
  return {static_cast<std::uint32_t>(2 * i + 3), static_cast<std::uint32_t>(value_at(i))};
}
const auto join = [](const std::string& a, const std::string& b) { return a + b; };

/// The index that an iterator of the standard stands for.
template <class It>
std::optional<std::size_t> index_or_none(const std::vector<int>& all, It found) {
  return found == all.end() ? std::nullopt
                            : std::optional(static_cast<std::size_t>(found - all.begin()));
}

}  // namespace

TEST(DistributedAlgorithms, elements_are_changed_in_place) {
  with_shapes([](const vector_shape& shape) {
    wd::vector<int> all = numbers(shape);
    wd::for_each(weft::par, all, [](int& each) { each *= 3; });
    std::vector<int> expected = expected_numbers(shape);
    std::ranges::for_each(expected, [](int& each) { each *= 3; });
    expect_elements(all, expected);

    wd::fill(weft::par, all, 7);
    expect_elements(all, std::vector<int>(shape.size, 7));
    wd::generate(weft::seq, all, [](std::size_t i) { return value_at(i); });
    expect_elements(all, expected_numbers(shape));
  });
}

TEST(DistributedAlgorithms, vectors_are_transformed) {
  with_shapes([](const vector_shape& shape) {
    const wd::vector<int> all = numbers(shape);
    wd::vector<long> squares(shape.size, shape.spread);
    wd::transform(weft::par, all, squares, [](int each) { return long{each} * each; });
    std::vector<long> expected(shape.size);
    std::ranges::transform(
        expected_numbers(shape), expected.begin(), [](int each) { return long{each} * each; });
    expect_elements(squares, expected);

    wd::vector<long> sums(shape.size, shape.spread);
    wd::transform(weft::seq, all, squares, sums, [](int a, long b) { return a + b; });
    for (std::size_t i = 0; i < expected.size(); ++i) {
      expected[i] += value_at(i);
    }
    expect_elements(sums, expected);
  });
}

TEST(DistributedAlgorithms, copies_change_the_distribution) {
  with_shapes([](const vector_shape& shape) {
    const wd::vector<int> all = numbers(shape);
    for (const wd::distribution spread : {wd::block, wd::cyclic(), wd::cyclic(5)}) {
      expect_elements(wd::redistribute(all, spread), expected_numbers(shape));
    }
    wd::vector<int> same(shape.size, shape.spread);
    wd::copy(weft::par, all, same);
    expect_elements(same, expected_numbers(shape));
  });
}

TEST(DistributedAlgorithms, sums_agree_with_the_standard) {
  with_shapes([](const vector_shape& shape) {
    const wd::vector<int> all = numbers(shape);
    const std::vector<int> expected = expected_numbers(shape);
    const auto square = [](int each) { return long{each} * each; };
    EXPECT_EQ(wd::reduce(weft::par, all), std::reduce(expected.begin(), expected.end()));
    EXPECT_EQ(wd::reduce(weft::seq, all, 5L), std::reduce(expected.begin(), expected.end(), 5L));
    const long squares =
        std::transform_reduce(expected.begin(), expected.end(), 1L, std::plus<>(), square);
    EXPECT_EQ(wd::transform_reduce(weft::par, all, 1L, std::plus<>(), square), squares);
    EXPECT_EQ(wd::transform_reduce(weft::par, all, all, 1L), squares);
  });
}

TEST(DistributedAlgorithms, reductions_keep_the_order_of_blocks) {
  with_shapes([](const vector_shape& shape) {
    wd::vector<std::string> all(shape.size);
    wd::generate(weft::seq, all, [](std::size_t i) { return std::to_string(i); });
    std::string expected = "<";
    affine composed{5, 6};
    for (std::size_t i = 0; i < shape.size; ++i) {
      expected += std::to_string(i);
      composed = after(composed, affine_at(i));
    }
    EXPECT_EQ(wd::reduce(weft::par, all, std::string("<"), join), expected);

    wd::vector<std::size_t> indices(shape.size);
    wd::generate(weft::par, indices, [](std::size_t i) { return i; });
    EXPECT_EQ(wd::transform_reduce(weft::par, indices, affine{5, 6}, after, affine_at), composed);
  });
}

TEST(DistributedAlgorithms, elements_are_counted_and_found) {
  with_shapes([](const vector_shape& shape) {
    const wd::vector<int> all = numbers(shape);
    const std::vector<int> expected = expected_numbers(shape);
    for (const int value : {-20, 0, 7, 100}) {
      const auto is_above = [value](int each) { return each > value; };
      EXPECT_EQ(wd::count(weft::par, all, value),
                static_cast<std::size_t>(std::ranges::count(expected, value)));
      EXPECT_EQ(wd::count_if(weft::seq, all, is_above),
                static_cast<std::size_t>(std::ranges::count_if(expected, is_above)));
      EXPECT_EQ(wd::find(weft::par, all, value),
                index_or_none(expected, std::ranges::find(expected, value)));
      EXPECT_EQ(wd::find_if(weft::par, all, is_above),
                index_or_none(expected, std::ranges::find_if(expected, is_above)));
      EXPECT_EQ(wd::any_of(weft::par, all, is_above), std::ranges::any_of(expected, is_above));
      EXPECT_EQ(wd::none_of(weft::par, all, is_above), std::ranges::none_of(expected, is_above));
      EXPECT_EQ(wd::all_of(weft::par, all, is_above), std::ranges::all_of(expected, is_above));
    }
  });
}

TEST(DistributedAlgorithms, extremes_are_the_first_ones) {
  with_shapes([](const vector_shape& shape) {
    const wd::vector<int> all = numbers(shape);
    const std::vector<int> expected = expected_numbers(shape);
    const auto indexed = [&](auto found) -> std::optional<wd::indexed<int>> {
      if (found == expected.end()) {
        return std::nullopt;
      }
      return wd::indexed<int>{static_cast<std::size_t>(found - expected.begin()), *found};
    };
    EXPECT_EQ(wd::min_element(weft::par, all), indexed(std::ranges::min_element(expected)));
    EXPECT_EQ(wd::max_element(weft::par, all), indexed(std::ranges::max_element(expected)));
    EXPECT_EQ(wd::min_element(weft::seq, all, std::greater<>()),
              indexed(std::ranges::min_element(expected, std::greater<>())));
  });
}

TEST(DistributedAlgorithms, scans_agree_with_the_standard) {
  with_shapes([](const vector_shape& shape) {
    const std::vector<int> numbers_in = expected_numbers(shape);
    const wd::vector<int> all = numbers(shape);
    wd::vector<int> sums(shape.size, wd::block);
    std::vector<int> expected(shape.size);

    wd::inclusive_scan(weft::par, all, sums);
    std::inclusive_scan(numbers_in.begin(), numbers_in.end(), expected.begin());
    expect_elements(sums, expected);

    wd::exclusive_scan(weft::par, all, sums, 100);
    std::exclusive_scan(numbers_in.begin(), numbers_in.end(), expected.begin(), 100);
    expect_elements(sums, expected);

    wd::vector<int> in_place = numbers(shape);
    wd::inclusive_scan(weft::seq, in_place, in_place, std::plus<>(), 3);
    std::inclusive_scan(numbers_in.begin(), numbers_in.end(), expected.begin(), std::plus<>(), 3);
    expect_elements(in_place, expected);
  });
}

TEST(DistributedAlgorithms, scans_keep_the_order_of_all_distributions) {
  with_shapes([](const vector_shape& shape) {
    wd::vector<affine> all(shape.size, shape.spread);
    wd::generate(weft::par, all, affine_at);
    std::vector<affine> expected(shape.size);
    affine sum;
    for (std::size_t i = 0; i < shape.size; ++i) {
      expected[i] = sum = after(sum, affine_at(i));
    }
    wd::inclusive_scan(weft::par, all, all, after);
    expect_elements(all, expected);
  });
}

TEST(DistributedAlgorithms, all_ranks_throw_what_one_throws) {
  weft::test::ranks job({.size = 3});

  job.run([] {
    wd::vector<int> all(30);
    for (int round = 0; round < 3; ++round) {
      try {
        wd::generate(weft::par, all, [](std::size_t i) {
          if (i == 15) {
            throw std::out_of_range("element 15");
          }
          return 0;
        });
        FAIL() << "nothing was thrown";
      } catch (const std::out_of_range& raised) {
        EXPECT_STREQ(raised.what(), "element 15");
      }
    }
    EXPECT_THROW(
        static_cast<void>(wd::reduce(
            weft::par, all, 0, [](int, int) -> int { throw std::domain_error("no sum"); })),
        std::domain_error);
    EXPECT_EQ(wd::all_reduce(1, wd::reduction::sum).get(), 3);  // the ranks are still in step
  });
}

TEST(DistributedAlgorithms, vectors_that_do_not_fit_are_refused) {
  weft::test::ranks job({.size = 2});

  job.run([] {
    const wd::vector<int> all(10);
    wd::vector<int> spread(10, wd::cyclic());
    wd::vector<int> larger(11);
    EXPECT_THROW(wd::transform(weft::seq, all, spread, [](int each) { return each; }), weft::error);
    EXPECT_THROW(wd::copy(weft::seq, all, larger), weft::error);
    EXPECT_THROW(wd::inclusive_scan(weft::seq, all, larger), weft::error);
    EXPECT_THROW(static_cast<void>(wd::transform_reduce(weft::seq, all, spread, 0)), weft::error);
    wd::barrier().get();
  });
}

}  // namespace vector_algorithms_test
