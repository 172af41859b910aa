// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Policies, what they may be given, and what becomes of it.
#include "weft/algorithms/policy.hpp"

#include <chrono>
#include <cstddef>
#include <forward_list>
#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/adjacent_difference.hpp"
#include "weft/algorithms/for_each.hpp"
#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/partition.hpp"
#include "weft/algorithms/reverse.hpp"
#include "weft/algorithms/scan.hpp"
#include "weft/algorithms/unique.hpp"
#include "weft/counters/algorithm_counts.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_options.hpp"

namespace policy_test {

struct a_type {};

static_assert(weft::execution_policy<decltype(weft::par)>);
static_assert(weft::execution_policy<const weft::sequenced_policy&>);
static_assert(!weft::execution_policy<a_type>);
static_assert(weft::par.is_parallel && !weft::par.is_vectorized && !weft::par.is_simd);
static_assert(weft::par_unseq.is_parallel && weft::par_unseq.is_vectorized);
static_assert(weft::par_simd.is_parallel && weft::par_simd.is_simd);
static_assert(!weft::seq.is_parallel && !weft::unseq.is_parallel && weft::unseq.is_vectorized);
static_assert(weft::par.with(weft::deterministic).is_deterministic);
static_assert(std::is_empty_v<weft::parallel_policy>);
static_assert(std::is_same_v<weft::algorithm_result_t<decltype(weft::par), int>, int>);
static_assert(std::is_same_v<weft::algorithm_result_t<decltype(weft::par(weft::as_future)), int>,
                             weft::future<int>>);

TEST(Policy, properties_of_a_category_replace_each_other) {
  constexpr auto twice =
      weft::par.with(weft::static_chunk_size{3}, weft::num_cores{2}, weft::guided_chunk_size{5});
  static_assert(!twice.has<weft::static_chunk_size>);
  EXPECT_EQ(twice.get<weft::guided_chunk_size>().min_size, 5U);
  EXPECT_EQ(twice.get<weft::num_cores>().count, 2U);
}

/// What a loop over `n` elements of some cost chose on two workers.
template <class... Parameters>
weft::chunking_parameters chosen(std::size_t n, const Parameters&... parameters) {
  weft::runtime_options options;
  options.workers = 2;
  static weft::runtime home(options);
  weft::chunking_parameters result;
  std::vector<int> values(n, 0);
  weft::for_each(weft::par.on(home).with(weft::collect_chunking_parameters(result), parameters...),
                 values.begin(),
                 values.end(),
                 [](int& x) { ++x; });
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), std::size_t{0}), n);
  return result;
}

TEST(ChunkParameters, calls_of_one_element_tell_of_themselves) {
  weft::chunking_parameters done;
  const auto policy = weft::par.with(weft::collect_chunking_parameters(done));
  std::vector<int> one(1, 3);
  std::vector<int> out(2);
  const auto expect_told = [&done](const char* name, std::size_t most) {
    EXPECT_LE(done.num_elements, most) << name << " left what the call before it had told";
    done.num_elements = 77;
  };
  done.num_elements = 77;
  weft::inclusive_scan(policy, one.begin(), one.end(), out.begin(), std::plus<>(), 0);
  expect_told("inclusive_scan", 1);
  weft::exclusive_scan(policy, one.begin(), one.end(), out.begin(), 0);
  expect_told("exclusive_scan", 1);
  weft::partition_copy(
      policy, one.begin(), one.end(), out.begin(), out.begin() + 1, [](int x) { return x < 0; });
  expect_told("partition_copy", 1);
  weft::reverse(policy, one.begin(), one.end());
  expect_told("reverse", 1);
  weft::unique(policy, one.begin(), one.end());
  expect_told("unique", 1);
  weft::unique_copy(policy, one.begin(), one.end(), out.begin());
  expect_told("unique_copy", 1);
  weft::adjacent_difference(policy, one.begin(), one.end(), out.begin());
  expect_told("adjacent_difference", 1);
}

TEST(ChunkParameters, chunks_are_as_large_as_asked_for) {
  const weft::chunking_parameters fixed = chosen(1'000, weft::static_chunk_size{100});
  EXPECT_EQ(fixed.num_elements, 1'000U);
  EXPECT_EQ(fixed.num_cores, 2U);
  EXPECT_EQ(fixed.num_chunks, 10U);
  EXPECT_EQ(fixed.chunk_size, 100U);
  EXPECT_EQ(chosen(1'000, weft::static_chunk_size{}).num_chunks, 8U);
  EXPECT_EQ(chosen(1'000, weft::dynamic_chunk_size{1}).num_chunks, 1'000U);
  EXPECT_EQ(chosen(1'000, weft::dynamic_chunk_size{1}, weft::max_num_chunks{4}).num_chunks, 4U);
  EXPECT_EQ(chosen(1'000, weft::dynamic_chunk_size{10}, weft::num_cores{1}).num_cores, 1U);
}

TEST(ChunkParameters, without_a_number_say_nothing) {
  EXPECT_EQ(chosen(1'000, weft::dynamic_chunk_size{10}, weft::num_cores{}).num_cores, 2U);
  EXPECT_EQ(chosen(1'000, weft::dynamic_chunk_size{1}, weft::max_num_chunks{}).num_chunks, 1'000U);
}

TEST(ChunkParameters, numbers_of_zero_are_one_but_chunks_of_zero_are_as_in_hpx) {
  EXPECT_EQ(chosen(1'000, weft::dynamic_chunk_size{10}, weft::num_cores{0}).num_cores, 1U);
  EXPECT_EQ(chosen(1'000, weft::dynamic_chunk_size{1}, weft::max_num_chunks{0}).num_chunks, 1U);
  EXPECT_EQ(chosen(1'000, weft::static_chunk_size{0}).num_chunks, 8U);
}

TEST(ChunkParameters, what_the_caller_did_alone_had_no_chunk_for_others) {
  EXPECT_EQ(chosen(1).chunk_size, std::nullopt);
}

TEST(ChunkParameters, guided_chunks_shrink) {
  const weft::chunking_parameters guided = chosen(1'024, weft::guided_chunk_size{64});
  EXPECT_EQ(guided.chunk_size, 512U);
  EXPECT_GT(guided.num_chunks, 3U);
  EXPECT_LE(guided.num_chunks, 16U);
}

TEST(ChunkParameters, a_persistent_size_is_kept) {
  const weft::persistent_auto_chunk_size kept(std::chrono::nanoseconds(1'000));
  EXPECT_EQ(kept.size(), std::nullopt);
  kept.keep(25);
  EXPECT_EQ(chosen(100, kept).num_chunks, 4U);
  EXPECT_EQ(kept.size(), 25U);
}

TEST(ChunkParameters, a_persistent_size_is_measured_once) {
  const weft::persistent_auto_chunk_size kept(std::chrono::microseconds(20));
  static_cast<void>(chosen(2'000'000, kept));
  const std::optional<std::size_t> size = kept.size();
  static_cast<void>(chosen(2'000'000, kept));
  EXPECT_TRUE(size.has_value());
  EXPECT_EQ(kept.size(), size);
}

TEST(ChunkParameters, measured_chunks_cover_everything) {
  const weft::chunking_parameters automatic =
      chosen(300'000, weft::auto_chunk_size{std::chrono::microseconds(5)});
  EXPECT_EQ(automatic.num_elements, 300'000U);
  EXPECT_GE(automatic.num_chunks, 1U);
  EXPECT_EQ(chosen(0).num_elements, 0U);
  EXPECT_EQ(chosen(1).num_chunks, 1U);
}

TEST(AsFuture, carries_exceptions) {
  std::vector<int> values(1'000, 1);
  weft::future<void> failed =
      weft::for_each(weft::seq(weft::as_future), values.begin(), values.begin() + 1, [](int&) {
        throw std::runtime_error("later");
      });
  EXPECT_THROW(failed.get(), std::runtime_error);
}

TEST(AsFuture, gives_the_end) {
  std::vector<int> values(1'000, 1);
  weft::future<std::vector<int>::iterator> end =
      weft::for_each_n(weft::par(weft::as_future), values.begin(), 500, [](int& x) { x = 2; });
  EXPECT_EQ(end.get() - values.begin(), 500);
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0), 1'500);
}

TEST(TerminateOnException, ends_the_process) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto throws = [] {
    std::vector<int> values(10);
    weft::for_each(
        weft::par.with(weft::terminate_on_exception), values.begin(), values.end(), [](int&) {
          throw std::runtime_error("end");
        });
  };
  EXPECT_DEATH(throws(), "");
}

template <class Policy>
class EveryPolicy : public testing::Test {};
using all_policies = testing::Types<weft::sequenced_policy,
                                    weft::unsequenced_policy,
                                    weft::parallel_policy,
                                    weft::parallel_unsequenced_policy>;
TYPED_TEST_SUITE(EveryPolicy, all_policies);

TYPED_TEST(EveryPolicy, calls_every_element_once) {
  for (const std::size_t n : {0UL, 1UL, 2UL, 3UL, 1'000UL, 100'000UL}) {
    std::vector<int> values(n, 0);
    // Without qualification: found by the policy's namespace.
    for_each(TypeParam(), values.begin(), values.end(), [](int& x) { ++x; });
    EXPECT_EQ(for_each_n(TypeParam(), values.begin(), n, [](int& x) { ++x; }), values.end());
    EXPECT_EQ(std::accumulate(values.begin(), values.end(), std::size_t{0}), 2 * n);
  }
  std::forward_list<int> list{1, 2, 3};
  for_each(TypeParam(), list.begin(), list.end(), [](int& x) { x *= 2; });
  EXPECT_EQ(list, (std::forward_list<int>{2, 4, 6}));
  EXPECT_EQ(for_each_n(TypeParam(), list.begin(), -1, [](int& x) { x = 0; }), list.begin());
}

TEST(Counters, tell_of_calls_that_others_took_part_in) {
  const auto before = weft::counters::process_algorithms().read();
  static_cast<void>(chosen(1'000, weft::static_chunk_size{100}));
  const auto after = weft::counters::process_algorithms().read();
  EXPECT_EQ(after.num_calls - before.num_calls, 1U);
  EXPECT_EQ(after.num_elements - before.num_elements, 1'000U);
  EXPECT_EQ(after.num_chunks - before.num_chunks, 10U);
}

TEST(Counters, tell_of_calls_left_to_the_caller) {
  weft::runtime_options options;
  options.workers = 1;
  weft::runtime home(options);
  const auto before = weft::counters::process_algorithms().read();
  std::vector<int> values(3);
  const auto wait = [](int& /*x*/) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(2);
    while (std::chrono::steady_clock::now() < until) {
    }
  };
  weft::for_each(weft::par.on(home), values.begin(), values.end(), wait);
  const auto after = weft::counters::process_algorithms().read();
  EXPECT_EQ(after.num_alone - before.num_alone, 1U);
}

}  // namespace policy_test
