// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Algorithms that nvcc compiles for the host give what the standard's do, beside a kernel.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <numeric>
#include <type_traits>
#include <vector>

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "weft/weft.hpp"

namespace cuda_algorithms_test {

/// Ordered by its weight alone.
struct item {
  double weight = 0;
  int number = 0;

  friend bool operator==(const item&, const item&) = default;
  friend bool operator<(const item& a, const item& b) { return a.weight < b.weight; }
  friend item operator+(const item& a, const item& b) {
    return {a.weight + b.weight, a.number + b.number};
  }
};

/// Whole numbers, also where they are weights: sums in any order are equal.
template <class Value>
Value value_of(int number) {
  return static_cast<Value>(number);
}
template <>
item value_of<item>(int number) {
  return {static_cast<double>(number), 3 * number + 1};
}

template <class Value>
struct Algorithms : testing::Test {
  std::vector<Value> values = made(100'000, 1);

  /// The numbers below 1000, each `n / 1000` times, in disorder.
  static std::vector<Value> made(int n, int seed) {
    std::vector<Value> all;
    for (int i = 0; i < n; ++i) {
      all.push_back(value_of<Value>(static_cast<int>((i * 7919LL + seed) % 1000)));
    }
    return all;
  }
};
using kinds = testing::Types<int, double, item>;
TYPED_TEST_SUITE(Algorithms, kinds);

TYPED_TEST(Algorithms, write_elements) {
  const auto twice = [](const TypeParam& x) { return x + x; };
  std::vector<TypeParam> expected(this->values.size());
  std::transform(this->values.begin(), this->values.end(), expected.begin(), twice);

  std::vector<TypeParam> changed = this->values;
  weft::for_each(weft::par, changed.begin(), changed.end(), [&](TypeParam& x) { x = twice(x); });
  EXPECT_EQ(changed, expected);

  std::vector<TypeParam> written(this->values.size());
  weft::transform(weft::par, this->values.begin(), this->values.end(), written.begin(), twice);
  EXPECT_EQ(written, expected);

  written = this->values;
  weft::ranges::transform(weft::par, this->values, written.begin(), twice);
  EXPECT_EQ(written, expected);
}

TYPED_TEST(Algorithms, sum) {
  const auto first = this->values.begin();
  const auto last = this->values.end();
  const auto more = [](const TypeParam& x) { return x + value_of<TypeParam>(1); };

  EXPECT_EQ(weft::reduce(weft::par, first, last, TypeParam(), std::plus<>()),
            std::reduce(first, last, TypeParam(), std::plus<>()));
  EXPECT_EQ(weft::transform_reduce(weft::par, first, last, TypeParam(), std::plus<>(), more),
            std::transform_reduce(first, last, TypeParam(), std::plus<>(), more));

  std::vector<TypeParam> prefixes(this->values.size());
  std::vector<TypeParam> expected(this->values.size());
  weft::inclusive_scan(weft::par, first, last, prefixes.begin());
  std::inclusive_scan(first, last, expected.begin());
  EXPECT_EQ(prefixes, expected);
}

TYPED_TEST(Algorithms, search) {
  const auto first = this->values.begin();
  const auto last = this->values.end();
  const TypeParam wanted = value_of<TypeParam>(999);
  const auto is_large = [](const TypeParam& x) { return value_of<TypeParam>(500) < x; };

  EXPECT_EQ(weft::find(weft::par, first, last, wanted), std::find(first, last, wanted));
  EXPECT_EQ(weft::min_element(weft::par, first, last), std::min_element(first, last));
  EXPECT_EQ(weft::count_if(weft::par, first, last, is_large), std::count_if(first, last, is_large));

  std::vector<TypeParam> large(this->values.size());
  std::vector<TypeParam> expected;
  large.erase(weft::copy_if(weft::par, first, last, large.begin(), is_large), large.end());
  std::copy_if(first, last, std::back_inserter(expected), is_large);
  EXPECT_EQ(large, expected);
}

TYPED_TEST(Algorithms, sort_and_merge) {
  std::vector<TypeParam> sorted = this->values;
  std::vector<TypeParam> expected = this->values;
  weft::sort(weft::par, sorted.begin(), sorted.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(sorted, expected);  // items of equal weight have equal numbers

  std::vector<TypeParam> other = this->made(50'000, 5);
  if constexpr (std::is_same_v<TypeParam, item>) {
    std::ranges::for_each(other, [n = 0](item& each) mutable { each.number = n++; });
  }
  std::vector<TypeParam> stable = other;
  weft::stable_sort(weft::par, other.begin(), other.end());
  std::stable_sort(stable.begin(), stable.end());
  EXPECT_EQ(other, stable);

  std::vector<TypeParam> merged(sorted.size() + other.size());
  weft::merge(weft::par, sorted.begin(), sorted.end(), other.begin(), other.end(), merged.begin());
  std::vector<TypeParam> both;
  std::merge(
      expected.begin(), expected.end(), stable.begin(), stable.end(), std::back_inserter(both));
  EXPECT_EQ(merged, both);
}

TEST(ForLoop, reduces) {
  long sum = 0;
  int largest = 0;
  weft::for_loop(weft::par,
                 0,
                 10'000,
                 weft::reduction_plus(sum),
                 weft::reduction_max(largest),
                 [](int i, long& own_sum, int& own_largest) {
                   own_sum += i;
                   own_largest = std::max(own_largest, i);
                 });
  EXPECT_EQ(sum, 49'995'000);
  EXPECT_EQ(largest, 9999);
}

/// Floating-point sums use vectors, which nvcc and the host compiler both have to understand.
template <class Key, class Value>
void expect_sums_by_key() {
  std::vector<Key> keys;
  std::vector<Value> values;
  for (int i = 0; i < 10'000; ++i) {
    keys.push_back(static_cast<Key>(i / 3));
    values.push_back(static_cast<Value>(i % 3));
  }
  std::vector<Key> keys_out(keys.size());
  std::vector<Value> sums(keys.size());
  const auto ends = weft::reduce_by_key(
      weft::par, keys.begin(), keys.end(), values.begin(), keys_out.begin(), sums.begin());

  ASSERT_EQ(ends.second - sums.begin(), 3334);
  sums.resize(3333);
  EXPECT_EQ(sums, std::vector<Value>(3333, static_cast<Value>(3)));
}
TEST(ByKey, sums_of_numbers) {
  expect_sums_by_key<int, float>();
  expect_sums_by_key<double, double>();
  expect_sums_by_key<long, int>();
}
TEST(ByKey, as_many_runs_as_there_is_room_for) {
  const std::vector<int> keys{1, 1, 2, 3};
  const std::vector<double> values{1, 2, 3, 4};
  std::vector<int> keys_out(2);
  std::vector<double> sums(2);
  weft::ranges::reduce_by_key(weft::par, keys, values, keys_out, sums);
  EXPECT_EQ(keys_out, (std::vector{1, 2}));
  EXPECT_EQ(sums, (std::vector{3.0, 3.0}));
}

/// A lambda for both host and device may not be in a test's body, a private member function.
std::vector<int> squares_by_extended_lambda(std::vector<int> numbers) {
  weft::for_each(
      weft::par, numbers.begin(), numbers.end(), [] __host__ __device__(int& x) { x *= x; });
  return numbers;
}
TEST(ExtendedLambda, runs_on_the_host) {
  EXPECT_EQ(squares_by_extended_lambda({1, 2, 3}), (std::vector{1, 4, 9}));
}

__global__ void add_one(int* numbers, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) {
    numbers[i] += 1;
  }
}

TEST(Kernel, runs_between_two_algorithms) {
  int num_devices = 0;
  const cudaError_t code = cudaGetDeviceCount(&num_devices);
  if (code != cudaSuccess) {
    GTEST_SKIP() << "no GPU: " << cudaGetErrorString(code);
  }
  constexpr int n = 10'000;
  std::vector<int> numbers(n);
  weft::for_loop(weft::par, 0, n, [&](int i) { numbers[static_cast<std::size_t>(i)] = i; });

  int* on_device = nullptr;
  ASSERT_EQ(cudaMalloc(&on_device, n * sizeof(int)), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(on_device, numbers.data(), n * sizeof(int), cudaMemcpyHostToDevice),
            cudaSuccess);
  add_one<<<(n + 255) / 256, 256>>>(on_device, n);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(numbers.data(), on_device, n * sizeof(int), cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(cudaFree(on_device), cudaSuccess);

  EXPECT_EQ(weft::reduce(weft::par, numbers.begin(), numbers.end(), 0LL), n * (n + 1LL) / 2);
}

}  // namespace cuda_algorithms_test
