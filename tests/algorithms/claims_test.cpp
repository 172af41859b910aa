// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the workers of a loop claim its chunks: every chunk once, whoever claims.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/detail/sharing/ordered_claims.hpp"
#include "weft/algorithms/detail/sharing/search_claims.hpp"

namespace claims_test {

using weft::algorithms::detail::ordered_claims;
using weft::algorithms::detail::parted_claims;
using weft::algorithms::detail::search_claims;
using weft::algorithms::detail::sweep;
using weft::algorithms::detail::tile;

TEST(OrderedClaims, go_through_a_range_once) {
  ordered_claims claims(10, 4);
  std::size_t next = 0;
  while (const std::optional<tile> mine = claims.claim()) {
    EXPECT_EQ(mine->index, next / 4);
    EXPECT_EQ(mine->first, next);
    next = mine->last;
  }
  EXPECT_EQ(next, 10U);
  EXPECT_EQ(claims.num_tiles(), 3U);
}

/// How often each element of [0, n) is taken, by shares that claim in turns; chunks with a wrong
/// border count for nothing.
std::vector<int> times_taken(parted_claims& claims, std::size_t n) {
  std::vector<int> times(n, 0);
  for (std::size_t turn = 0;; ++turn) {
    const std::optional<tile> mine = claims.claim(turn * turn % claims.num_parts());
    if (!mine) {
      return times;
    }
    for (std::size_t i = mine->first; mine->first % 8 == 0 && i < mine->last; ++i) {
      ++times[i];
    }
  }
}

TEST(PartedClaims, go_through_a_range_once_whoever_claims) {
  for (const std::size_t n : {0U, 1U, 100U, 1000U, 4099U}) {
    for (const std::size_t num_parts : {1U, 2U, 3U, 40U}) {
      for (const std::size_t divisor : {0U, 6U}) {
        const std::size_t first = n / 10 / 8 * 8;
        std::vector<int> expected(n, 1);
        std::fill_n(expected.begin(), first, 0);
        for (const sweep way : {sweep::forwards, sweep::backwards}) {
          parted_claims claims(
              first, n, {.min_size = 16, .divisor = divisor, .multiple_of = 8}, num_parts, way);
          EXPECT_EQ(times_taken(claims, n), expected) << n << ", " << num_parts << ", " << divisor;
        }
      }
    }
  }
}

TEST(PartedClaims, begin_with_the_own_part_and_help_where_most_is_left) {
  parted_claims claims(0, 300, {.min_size = 10, .divisor = 0, .multiple_of = 1}, 3);
  EXPECT_EQ(claims.claim(2).value_or(tile{}).first, 200U);
  EXPECT_EQ(claims.claim(1).value_or(tile{}).first, 100U);
  EXPECT_EQ(claims.claim(1).value_or(tile{}).first, 110U);
  for (std::size_t first = 0; first != 100; first += 10) {
    EXPECT_EQ(claims.claim(0).value_or(tile{.first = 1}).first, first);
  }
  EXPECT_EQ(claims.claim(0).value_or(tile{}).first, 210U);
  claims.stop();
  EXPECT_FALSE(claims.claim(1));
}

TEST(PartedClaims, go_backwards_through_chunks_with_the_same_borders) {
  parted_claims claims(
      0, 305, {.min_size = 10, .divisor = 0, .multiple_of = 1}, 2, sweep::backwards);
  EXPECT_EQ(claims.claim(1).value_or(tile{}).first, 300U);  // as short as the last one forwards
  EXPECT_EQ(claims.claim(1).value_or(tile{}).first, 290U);
  for (std::size_t end = 160; end != 0; end -= 10) {
    EXPECT_EQ(claims.claim(0).value_or(tile{}).last, end);
  }
  EXPECT_EQ(claims.claim(0).value_or(tile{}).last, 290U);
}

TEST(SearchClaims, go_through_a_range_once_whoever_claims) {
  for (const std::size_t n : {0U, 1U, 100U, 1000U, 4099U}) {
    for (const std::size_t num_parts : {1U, 2U, 3U, 40U}) {
      const std::size_t first = n / 3;
      search_claims claims(first, n, 16, num_parts);
      std::vector<int> times(n, 0);
      std::size_t turn = 0;
      while (const std::optional<tile> mine = claims.claim(turn * turn % claims.num_parts())) {
        EXPECT_TRUE(mine->first == first || mine->first % 16 == 0);
        for (std::size_t i = mine->first; i < mine->last; ++i) {
          ++times[i];
        }
        ++turn;
      }
      std::vector<int> expected(n, 1);
      std::fill_n(expected.begin(), first, 0);
      EXPECT_EQ(times, expected) << n << ", " << num_parts;
      EXPECT_EQ(claims.end(), n);
    }
  }
}

TEST(SearchClaims, deal_the_same_chunks_to_the_same_part_and_let_nobody_run_far_ahead) {
  search_claims claims(25, 200, 10, 2);
  EXPECT_EQ(claims.size_of_first(), 5U);
  EXPECT_EQ(claims.claim(0).value_or(tile{}).first, 25U);  // the rest of the chunk at 20
  EXPECT_EQ(claims.claim(1).value_or(tile{}).first, 30U);
  EXPECT_EQ(claims.claim(1).value_or(tile{}).first, 50U);
  EXPECT_EQ(claims.claim(1).value_or(tile{}).first, 70U);
  EXPECT_EQ(claims.claim(1).value_or(tile{}).first, 40U);  // the other part is far behind
  EXPECT_EQ(claims.claim(1).value_or(tile{}).first, 90U);
}

TEST(SearchClaims, go_on_in_front_of_a_hit_alone) {
  search_claims claims(0, 200, 10, 2);
  EXPECT_EQ(claims.claim(1).value_or(tile{}).first, 10U);
  EXPECT_EQ(claims.claim(1).value_or(tile{}).first, 30U);
  claims.end_at(35);
  claims.end_at(90);
  EXPECT_EQ(claims.end(), 35U);
  EXPECT_EQ(claims.claim(1).value_or(tile{.first = 1}).first, 0U);
  EXPECT_EQ(claims.claim(0).value_or(tile{}).first, 20U);
  EXPECT_FALSE(claims.claim(0));
  EXPECT_FALSE(claims.claim(1));
  search_claims stopped(0, 200, 10, 2);
  stopped.stop();
  EXPECT_FALSE(stopped.claim(0));
}

}  // namespace claims_test
