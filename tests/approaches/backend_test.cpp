// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The approach that is linked in gives the right answer to every problem it offers.
#include "lab/approaches/backend.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/topology.hpp"

#include "approaches/small_cells.hpp"
#include "lab/approaches/operations.hpp"
#include "lab/approaches/problem.hpp"
#include "lab/approaches/series.hpp"
#include "lab/harness/experiment.hpp"

namespace weft::lab::approaches {
namespace backend_test {

/// Calls `body` where the approach has `threads` threads; not at all if its library refuses them.
template <class Body>
void with_threads(int threads, Body body) {
  try {
    linked_backend().with_threads(
        linked_backend().is_serial ? 1 : threads,
        [](void* context) { (*static_cast<Body*>(context))(); },
        &body);
  } catch (const cannot_run& refused) {
    EXPECT_FALSE(refused.reason().message.empty());
  }
}

/// Terms and parts: none, fewer terms than parts, as many to each, some to spare.
constexpr std::array<std::pair<std::uint64_t, std::size_t>, 7> small_cases{
    {{0, 1}, {1, 4}, {10, 20}, {16, 4}, {100, 3}, {100, 64}, {1000, 10}}};

void expect_sum(double found, const series& what, summation how) {
  const auto expected = static_cast<double>(exact_sum(what));
  EXPECT_LE(std::abs(found - expected), error_max(expected, what.n, how))
      << what.n << " terms at " << what.x << " in " << what.num_parts << " parts";
}

std::vector<double> numbers(std::uint64_t n) {
  std::vector<double> terms(n);
  std::iota(terms.begin(), terms.end(), 1.0);
  return terms;
}

void sum_small_case(const operations& rows, const series& what) {
  if (rows.fused != nullptr) {
    expect_sum(rows.fused(what), what, rows.fused_summation);
  }
  if (rows.deterministic != nullptr) {
    expect_sum(rows.deterministic(what), what, summation::pairwise);
  }
  if (rows.over_vector != nullptr) {
    std::vector<double> terms = numbers(what.n);
    expect_sum(rows.over_vector(what, terms.data()), what, summation::in_order);
  }
  if (rows.from_scratch != nullptr) {
    expect_sum(rows.from_scratch(what), what, summation::in_order);
  }
  if (rows.chunked != nullptr) {
    for (const schedule_kind kind : {schedule_kind::automatic,
                                     schedule_kind::fixed,
                                     schedule_kind::dynamic,
                                     schedule_kind::guided}) {
      if (kind == schedule_kind::guided && !rows.has_guided_chunks) {
        continue;
      }
      std::vector<double> terms = numbers(what.n);
      const double found = rows.chunked(what, {.kind = kind, .chunk_size = 7}, terms.data());
      expect_sum(found, what, summation::in_order);
    }
  }
}

TEST(Approach, sums_few_terms_in_many_parts_and_many_in_few) {
  with_threads(2, [] {
    for (const auto& [n, num_parts] : small_cases) {
      for (const double x : {0.5, 0.999999999, x_of_check}) {
        sum_small_case(linked_backend().offered, {.n = n, .x = x, .num_parts = num_parts});
      }
    }
  });
}

TEST(Approach, answers_every_problem_rightly_or_says_that_it_has_none) {
  with_threads(2, [] {
    const base::topology machine = base::read_topology({.reader = base::topology_reader::sysfs});
    std::size_t num_answered = 0;
    for (const std::string& problem : problem_names()) {
      const std::string said = testing::mismatch_of(testing::small_cell(problem), linked_backend());
      if (said != "too_few_cores" || problem != "round_trip" || !without_two_cores(machine)) {
        EXPECT_THAT(said, ::testing::AnyOf("", "not_offered")) << problem;
      }
      num_answered += said.empty() ? 1U : 0U;
    }
    EXPECT_GE(num_answered, 1U);
  });
}

TEST(Approach, has_the_same_deterministic_sum_with_any_number_of_threads) {
  const auto sum = linked_backend().offered.deterministic;
  if (sum == nullptr) {
    GTEST_SKIP() << "it offers none";
  }
  constexpr std::uint64_t n = 20'000;
  std::set<std::uint64_t> bits;
  for (const int threads : {1, 2, 3, 4}) {
    with_threads(threads, [&] {
      const auto parts = static_cast<std::size_t>(threads);
      bits.insert(
          std::bit_cast<std::uint64_t>(sum({.n = n, .x = 0.999999999, .num_parts = parts})));
    });
  }
  EXPECT_EQ(bits.size(), 1U);
}

TEST(Approach, has_a_name_and_a_version) {
  EXPECT_FALSE(linked_backend().name.empty());
  EXPECT_FALSE(linked_backend().libraries().empty());
}

}  // namespace backend_test
}  // namespace weft::lab::approaches
