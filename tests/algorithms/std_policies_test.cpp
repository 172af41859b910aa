// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The standard's policies, taken in place of ours.
#include <execution>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/for_each.hpp"
#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/ranges/find.hpp"
#include "weft/algorithms/reduce.hpp"
#include "weft/algorithms/sort.hpp"

namespace std_policies_test {

static_assert(weft::execution_policy<std::execution::sequenced_policy>);
static_assert(weft::execution_policy<const std::execution::unsequenced_policy&>);
static_assert(weft::execution_policy<decltype(std::execution::par)>);
static_assert(weft::execution_policy<std::execution::parallel_unsequenced_policy>);
static_assert(std::is_same_v<weft::algorithm_result_t<decltype(std::execution::par), int>, int>);

template <class Policy>
void run(const Policy& policy) {
  std::vector<int> all(50000);
  std::iota(all.begin(), all.end(), 0);

  weft::for_each(policy, all.begin(), all.end(), [](int& x) { x = -x; });
  weft::sort(policy, all.begin(), all.end());

  EXPECT_EQ(all.front(), -49999);
  EXPECT_EQ(weft::reduce(policy, all.begin(), all.end(), 0L, std::plus<>()), -49999L * 25000);
  EXPECT_EQ(weft::ranges::find(policy, all, -9) - all.begin(), 49990);
}

TEST(StdPolicies, run_our_algorithms) {
  run(std::execution::seq);
  run(std::execution::unseq);
  run(std::execution::par);
  run(std::execution::par_unseq);
}

/// A function of ours and one of the standard's, both found: std::execution's policies pick the
/// standard's, ours pick ours.
TEST(StdPolicies, unqualified_calls_with_ours_find_ours) {
  std::vector<int> all(10, 1);

  for_each(weft::par, all.begin(), all.end(), [](int& x) { ++x; });

  EXPECT_EQ(reduce(weft::seq, all.begin(), all.end()), 20);
}

TEST(StdPoliciesDeathTest, end_the_program_at_an_exception) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  std::vector<int> all(10);
  const auto fails = [](int /*x*/) { throw std::runtime_error("no"); };

  EXPECT_THROW(weft::for_each(weft::par, all.begin(), all.end(), fails), std::runtime_error);
  EXPECT_DEATH(
      weft::for_each(weft::par.with(weft::terminate_on_exception), all.begin(), all.end(), fails),
      "");
}

}  // namespace std_policies_test
