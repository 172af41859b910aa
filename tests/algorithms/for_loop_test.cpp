// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over indices and iterators.
#include "weft/algorithms/for_loop.hpp"

#include <algorithm>
#include <cstddef>
#include <forward_list>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_options.hpp"

namespace for_loop_test {

TEST(ForLoop, calls_every_index_once) {
  for (const int n : {0, 1, 2, 100, 50'000}) {
    std::vector<int> seen(static_cast<std::size_t>(n), 0);
    weft::for_loop(weft::par, 0, n, [&seen](int i) { ++seen[static_cast<std::size_t>(i)]; });
    EXPECT_EQ(std::accumulate(seen.begin(), seen.end(), 0), n);
  }
}

TEST(ForLoop, does_not_depend_on_workers_or_chunks) {
  constexpr int chunk = 37;
  for (const int num_workers : {1, 2, 7}) {
    weft::runtime_options options;
    options.workers = num_workers;
    weft::runtime home(options);
    for (const int n : {0, 1, 2, 3, chunk - 1, chunk, chunk + 1, 20'011}) {
      const auto check = [n](const auto& policy) {
        std::vector<int> seen(static_cast<std::size_t>(n), 0);
        long sum = 5;
        int place = 3;
        weft::for_loop_strided(policy,
                               2 * n,
                               0,
                               -2,
                               weft::reduction_plus(sum),
                               weft::induction(place, 4),
                               [&seen](int i, long& part, int at) {
                                 ++seen[static_cast<std::size_t>(i / 2 - 1)];
                                 part += i + at;
                               });
        EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), n);
        EXPECT_EQ(sum, 5 + long{n} * (n + 1) + 3 * long{n} + 2 * long{n} * (n - 1));
        EXPECT_EQ(place, 3 + 4 * n);
      };
      check(weft::par.on(home).with(weft::dynamic_chunk_size{chunk}));
      check(weft::par.on(home));
      check(weft::seq);
    }
  }
}

TEST(ForLoop, gives_iterators_themselves) {
  std::vector<int> values(30'000, 1);
  weft::for_loop(
      weft::par, values.begin(), values.end(), [](std::vector<int>::iterator i) { *i = 2; });
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0), 60'000);
}

TEST(ForLoop, reduces) {
  double sum = 1;
  int largest = -5;
  weft::for_loop(weft::par,
                 0,
                 100'000,
                 weft::reduction_plus(sum),
                 weft::reduction_max(largest),
                 [](int i, double& s, int& m) {
                   s += i;
                   m = std::max(m, i);
                 });
  EXPECT_EQ(sum, 1 + 99'999.0 * 100'000.0 / 2);
  EXPECT_EQ(largest, 99'999);
}

TEST(ForLoop, combines_in_order) {
  std::string all = ">";
  weft::for_loop(weft::par.with(weft::dynamic_chunk_size{7}),
                 0,
                 2'000,
                 weft::reduction(all, std::string(), std::plus<>()),
                 [](int i, std::string& s) { s += static_cast<char>('a' + i % 26); });
  ASSERT_EQ(all.size(), 2'001U);
  for (std::size_t i = 0; i < 2'000; ++i) {
    ASSERT_EQ(all[i + 1], static_cast<char>('a' + i % 26));
  }
}

TEST(ForLoop, steps_values_along) {
  std::vector<long> values(40'000);
  long next = 10;
  weft::for_loop(
      weft::par,
      std::size_t{0},
      values.size(),
      weft::induction(next, 3),
      weft::induction(values.begin()),
      [](std::size_t /*i*/, long value, std::vector<long>::iterator at) { *at = value; });
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(values[i], 10 + 3 * static_cast<long>(i));
  }
  EXPECT_EQ(next, 10 + 3 * 40'000);
}

TEST(ForLoopStrided, goes_up_and_down) {
  std::vector<int> up;
  std::vector<int> down;
  weft::for_loop_strided(weft::seq, 1, 10, 4, [&up](int i) { up.push_back(i); });
  weft::for_loop_strided(weft::seq, 9, 0, -4, [&down](int i) { down.push_back(i); });
  EXPECT_EQ(up, (std::vector<int>{1, 5, 9}));
  EXPECT_EQ(down, (std::vector<int>{9, 5, 1}));
  int count = 0;
  weft::for_loop_strided(
      weft::par, -30'000, 30'000, 7, weft::reduction_plus(count), [](int /*i*/, int& c) { ++c; });
  EXPECT_EQ(count, (60'000 + 6) / 7);
}

TEST(ForLoopStrided, walks_forward_iterators) {
  const std::forward_list<int> values{1, 2, 3, 4, 5};
  int sum = 0;
  weft::for_loop_strided(weft::par,
                         values.begin(),
                         values.end(),
                         2,
                         weft::reduction_plus(sum),
                         [](std::forward_list<int>::const_iterator i, int& s) { s += *i; });
  EXPECT_EQ(sum, 1 + 3 + 5);
}

TEST(ForLoop, leaves_variables_alone_when_a_call_throws) {
  int sum = 7;
  const auto loop = [&sum] {
    weft::for_loop(weft::par, 0, 20'000, weft::reduction_plus(sum), [](int i, int& s) {
      s += i;
      if (i == 15'000) {
        throw std::runtime_error("here");
      }
    });
  };
  EXPECT_THROW(loop(), std::runtime_error);
  EXPECT_EQ(sum, 7);
}

TEST(ForLoop, gives_a_future) {
  int sum = 0;
  weft::for_loop(weft::par(weft::as_future), 0, 1000, weft::reduction_plus(sum), [](int i, int& s) {
    s += i;
  }).get();
  EXPECT_EQ(sum, 999 * 500);
}

}  // namespace for_loop_test
