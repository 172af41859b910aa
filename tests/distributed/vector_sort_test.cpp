// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting over all ranks.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/policy.hpp"
#include "weft/distributed/algorithms.hpp"
#include "weft/distributed/collectives.hpp"
#include "weft/distributed/detail/exchange.hpp"
#include "weft/distributed/distribution.hpp"
#include "weft/distributed/locality.hpp"
#include "weft/distributed/sort.hpp"
#include "weft/distributed/vector.hpp"

#include "tests/distributed/ranks.hpp"
#include "tests/distributed/vectors.hpp"

namespace wd = weft::distributed;

namespace vector_sort_test {
namespace {

using weft::test::expect_elements;
using weft::test::expected_numbers;
using weft::test::numbers;
using weft::test::value_at;
using weft::test::vector_shape;
using weft::test::with_shapes;

struct keyed {
  int key = 0;
  std::size_t position = 0;
  friend bool operator==(const keyed&, const keyed&) = default;
};
keyed keyed_at(std::size_t i) { return {value_at(i) % 3, i}; }
bool has_less_key(const keyed& a, const keyed& b) { return a.key < b.key; }

}  // namespace

TEST(DistributedSort, vectors_are_sorted_over_all_ranks) {
  with_shapes([](const vector_shape& shape) {
    wd::vector<int> all = numbers(shape);
    wd::sort(weft::par, all);
    std::vector<int> expected = expected_numbers(shape);
    std::ranges::sort(expected);
    expect_elements(all, expected);

    wd::sort(weft::seq, all, std::greater<>());
    std::ranges::reverse(expected);
    expect_elements(all, expected);
  });
}

TEST(DistributedSort, equal_elements_keep_their_order) {
  with_shapes([](const vector_shape& shape) {
    wd::vector<keyed> all(shape.size, shape.spread);
    wd::generate(weft::par, all, keyed_at);
    wd::stable_sort(weft::par, all, has_less_key);
    std::vector<keyed> expected(shape.size);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      expected[i] = keyed_at(i);
    }
    std::ranges::sort(expected, [](const keyed& a, const keyed& b) {
      return std::pair(a.key, a.position) < std::pair(b.key, b.position);
    });
    expect_elements(all, expected);
  });
}

TEST(DistributedSort, strings_and_equal_values_are_sorted) {
  with_shapes([](const vector_shape& shape) {
    wd::vector<std::string> all(shape.size, shape.spread);
    wd::generate(weft::par, all, [](std::size_t i) { return std::to_string(value_at(i)); });
    wd::sort(weft::par, all);
    std::vector<std::string> expected(shape.size);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      expected[i] = std::to_string(value_at(i));
    }
    std::ranges::sort(expected);
    expect_elements(all, expected);

    wd::vector<int> equal(shape.size, shape.spread, 4);
    wd::sort(weft::par, equal);
    expect_elements(equal, std::vector<int>(shape.size, 4));
  });
}

TEST(DistributedSort, equal_values_are_spread_over_the_ranks) {
  const std::size_t num_ranks = 4;
  const std::size_t most = 1000;
  weft::test::ranks job({.size = num_ranks});

  job.run([&] {
    const std::vector<int> mine(most, 1);
    std::less<> comp;
    const auto splitters = wd::detail::agree_on_splitters(std::span<const int>(mine), comp);
    std::vector<int> elements = mine;
    std::size_t received = 0;
    const auto received_pieces = wd::detail::exchange<int>(
        [&] { return wd::detail::cut(std::span(elements), splitters, comp); });
    for (const std::vector<int>& each : received_pieces) {
      received += each.size();
    }
    EXPECT_LE(received, most + most / 4 + num_ranks);
    EXPECT_GE(received, most - most / 4 - num_ranks);
  });
}

TEST(DistributedSort, all_ranks_throw_what_a_comparison_throws) {
  weft::test::ranks job({.size = 3});

  job.run([] {
    wd::vector<int> all = numbers({60, wd::block});
    const auto throws = [](int a, int b) {
      if (wd::here().rank() == 1) {
        throw std::domain_error("cannot be compared");
      }
      return a < b;
    };
    EXPECT_THROW(wd::sort(weft::seq, all, throws), std::domain_error);
    EXPECT_EQ(wd::all_reduce(1, wd::reduction::sum).get(), 3);  // the ranks are still in step
  });
}

}  // namespace vector_sort_test
