// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same results for any number of workers, any chunks and any executor.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/copy_if.hpp"
#include "weft/algorithms/executor.hpp"
#include "weft/algorithms/find.hpp"
#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/partition.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/reduce.hpp"
#include "weft/algorithms/scan.hpp"
#include "weft/algorithms/stable_sort.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_options.hpp"

namespace properties_test {

/// A matrix of two by two, modulo 2^64: its product is associative and does not commute.
struct matrix {
  std::uint64_t a = 1;
  std::uint64_t b = 0;
  std::uint64_t c = 0;
  std::uint64_t d = 1;
  bool operator==(const matrix&) const = default;
};
matrix operator*(const matrix& x, const matrix& y) {
  return {
      x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
}

std::vector<int> random_numbers(std::size_t n) {
  std::vector<int> all(n);
  std::uint32_t state = 1;
  std::ranges::generate(all, [&state] {
    state = state * 1664525 + 1013904223;
    return static_cast<int>(state >> 20);
  });
  return all;
}

/// What algorithms that depend on order make of `numbers`.
struct results {
  matrix product;
  std::vector<matrix> products;
  std::vector<int> chosen;
  std::vector<int> sorted;
  std::vector<int> parted;
  std::ptrdiff_t found = 0;
  bool operator==(const results&) const = default;
};

template <class Policy>
results run(const Policy& policy, const std::vector<int>& numbers) {
  results all;
  std::vector<matrix> factors;
  factors.reserve(numbers.size());
  for (const int x : numbers) {
    factors.push_back({static_cast<std::uint64_t>(x), 1, 2, static_cast<std::uint64_t>(x) + 3});
  }
  const auto multiply = [](const matrix& x, const matrix& y) { return x * y; };
  all.product = weft::reduce(policy, factors.begin(), factors.end(), matrix(), multiply);
  all.products.resize(factors.size());
  weft::inclusive_scan(policy, factors.begin(), factors.end(), all.products.begin(), multiply);
  const auto is_third = [](int x) { return x % 3 == 0; };
  all.chosen.resize(numbers.size());
  all.chosen.erase(
      weft::copy_if(policy, numbers.begin(), numbers.end(), all.chosen.begin(), is_third),
      all.chosen.end());
  all.sorted = numbers;
  const auto by_last_digit = [](int x, int y) { return x % 10 < y % 10; };
  weft::stable_sort(policy, all.sorted.begin(), all.sorted.end(), by_last_digit);
  all.parted = numbers;
  weft::stable_partition(policy, all.parted.begin(), all.parted.end(), is_third);
  all.found = weft::find(policy, numbers.begin(), numbers.end(), 77) - numbers.begin();
  return all;
}

weft::runtime_options with_workers(int count) {
  weft::runtime_options options;
  options.workers = count;
  return options;
}

constexpr std::size_t sizes[] = {0, 1, 2, 3, 63, 64, 65, 1000, 30011};

TEST(Properties, results_do_not_depend_on_workers) {
  for (const std::size_t n : sizes) {
    const std::vector<int> numbers = random_numbers(n);
    const results expected = run(weft::seq, numbers);
    for (const int workers : {1, 2, 7}) {
      weft::runtime home(with_workers(workers));

      const bool is_same = run(weft::par.on(home), numbers) == expected;

      EXPECT_TRUE(is_same) << n << " elements, " << workers << " workers";
    }
  }
}

TEST(Properties, results_do_not_depend_on_chunks) {
  weft::runtime home(with_workers(3));
  for (const std::size_t n : sizes) {
    const std::vector<int> numbers = random_numbers(n);
    const results expected = run(weft::seq, numbers);
    for (const std::size_t size : {1UL, 64UL, 1000UL}) {
      if (n > 1000 * size) {
        continue;  // a chunk per element of many takes long
      }
      const auto on_home = weft::par.on(home);

      EXPECT_TRUE(run(on_home.with(weft::static_chunk_size{size}), numbers) == expected);
      EXPECT_TRUE(run(on_home.with(weft::dynamic_chunk_size{size}), numbers) == expected);
      EXPECT_TRUE(run(on_home.with(weft::guided_chunk_size{size}, weft::num_cores{2}), numbers) ==
                  expected);
    }
  }
}

/// A thread for each call.
struct thread_executor {
  std::shared_ptr<std::vector<std::jthread>> threads =
      std::make_shared<std::vector<std::jthread>>();

  [[nodiscard]] static std::size_t num_workers() { return 3; }
  template <class F>
  void execute(F f) const {
    threads->emplace_back(std::move(f));
  }
};

/// One that never calls.
struct idle_executor {
  [[nodiscard]] static std::size_t num_workers() { return 4; }
  template <class F>
  void execute(const F& /*f*/) const {}
};

TEST(Properties, results_do_not_depend_on_the_executor) {
  static_assert(weft::algorithm_executor<thread_executor>);
  const std::vector<int> numbers = random_numbers(30011);
  const results expected = run(weft::seq, numbers);
  const auto cut = weft::par.with(weft::dynamic_chunk_size{500});

  EXPECT_TRUE(run(cut.on(thread_executor()), numbers) == expected);
  EXPECT_TRUE(run(cut.on(idle_executor()), numbers) == expected);
}

TEST(Properties, deterministic_sums_are_bitwise_the_same) {
  std::vector<double> numbers(100000);
  std::iota(numbers.begin(), numbers.end(), 0.1);
  std::ranges::for_each(numbers, [](double& x) { x = 1 / x; });
  const auto sum = [&numbers](const auto& policy) {
    return weft::reduce(
        policy.with(weft::deterministic), numbers.begin(), numbers.end(), 0.0, std::plus<>());
  };
  const double expected = sum(weft::par);
  for (const int workers : {1, 2, 7}) {
    weft::runtime home(with_workers(workers));

    EXPECT_EQ(sum(weft::par.on(home)), expected);
    EXPECT_EQ(sum(weft::par.on(home).with(weft::num_cores{2})), expected);
  }
}

}  // namespace properties_test
