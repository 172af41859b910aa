// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Searches for one element or two neighbours: where the standard's sequential forms find it.
#include "weft/algorithms/find.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <forward_list>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/adjacent_find.hpp"
#include "weft/algorithms/all_of.hpp"
#include "weft/algorithms/contains.hpp"
#include "weft/algorithms/detail/loops/find_chunk.hpp"
#include "weft/algorithms/find_last.hpp"
#include "weft/algorithms/is_heap.hpp"
#include "weft/algorithms/is_partitioned.hpp"
#include "weft/algorithms/is_sorted.hpp"
#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/tasks/runtime.hpp"

#include "algorithms/map_support.hpp"

namespace find_test {

using weft::test::chunk;
using weft::test::sizes;

class Find : public weft::test::on_workers {};

/// Places worth a hit in a range of n: its ends, and both sides of borders of chunks.
std::vector<std::size_t> places_in(std::size_t n) {
  std::vector<std::size_t> places;
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}, chunk - 1, chunk, n / 2, n - 1}) {
    if (i < n) {
      places.push_back(i);
    }
  }
  return places;
}

TEST_P(Find, predicates_find_every_place_of_some_pages) {
  const std::size_t n = 3 * 512 + 77;
  std::vector<double> values(n, 1.0);
  const auto is_two = [](double x) { return x == 2.0; };
  const auto is_one = [](double x) { return x == 1.0; };
  for (std::size_t place = 0; place < n; place += place < 100 ? 1 : 13) {
    values[place] = 2.0;
    const auto hit = values.begin() + static_cast<std::ptrdiff_t>(place);
    ASSERT_EQ(weft::find_if(measured(), values.begin(), values.end(), is_two), hit);
    ASSERT_EQ(weft::find_if_not(measured(), values.begin(), values.end(), is_one), hit);
    ASSERT_EQ(weft::find_if(measured(), values.begin(), hit, is_two), hit);
    ASSERT_EQ(weft::find_if(measured(), hit + 1, values.end(), is_two), values.end());
    ASSERT_TRUE(weft::any_of(measured(), values.begin(), values.end(), is_two));
    values[place] = 1.0;
  }
}

TEST_P(Find, the_first_of_several_hits_is_found) {
  for (const std::size_t n : sizes) {
    std::vector<double> values(n, 1.0);
    EXPECT_EQ(weft::find(chunked(), values.begin(), values.end(), 2.0), values.end());
    for (const std::size_t hit : places_in(n)) {
      values[n - 1] = 2.0;
      values[hit] = 2.0;
      const auto expected = values.begin() + static_cast<std::ptrdiff_t>(hit);
      EXPECT_EQ(weft::find(chunked(), values.begin(), values.end(), 2), expected);
      EXPECT_EQ(weft::find(measured(), values.begin(), values.end(), 2.0), expected);
      EXPECT_EQ(
          weft::find_if(
              chunked(), values.begin(), values.end(), [](double value) { return value > 1.5; }),
          expected);
      EXPECT_EQ(
          weft::find_if_not(
              measured(), values.begin(), values.end(), [](double value) { return value < 1.5; }),
          expected);
      std::fill(values.begin(), values.end(), 1.0);
    }
  }
}

TEST_P(Find, hits_are_found_at_every_border_of_what_is_read_at_a_time) {
  constexpr std::size_t piece = weft::algorithms::detail::search_piece_bytes / sizeof(double);
  const std::size_t n = 7 * piece + 11;
  const auto in_long_chunks = weft::par.on(runtime).with(weft::dynamic_chunk_size{2 * piece + 3});
  std::vector<double> values(n, 1.0);
  for (std::size_t border = 0; border <= n; border += piece) {
    for (const std::size_t hit : {border - 1, border, border + 4, border + piece / 2}) {
      if (hit >= n) {
        continue;
      }
      values[n - 1] = 2.0;
      values[hit] = 2.0;
      const auto expected = values.begin() + static_cast<std::ptrdiff_t>(hit);
      EXPECT_EQ(weft::find(in_long_chunks, values.begin(), values.end(), 2.0), expected);
      EXPECT_EQ(weft::find(measured(), values.begin(), values.end(), 2.0), expected);
      values[hit] = 1.0;
    }
  }
}

TEST_P(Find, the_first_of_many_hits_is_found_by_all_in_a_long_search) {
  const std::size_t n = 3000;
  std::vector<int> values(n, 0);
  const auto is_hit_slowly = [](int value) {
    for (int spins = 0; spins < 200; ++spins) {
      std::atomic_signal_fence(std::memory_order_seq_cst);  // else there is nothing to do
    }
    return value == 1;
  };
  for (const std::size_t hit : {std::size_t{17}, n / 3, n / 2 + 1, n - 2}) {
    std::fill(values.begin() + static_cast<std::ptrdiff_t>(hit), values.end(), 1);
    const auto expected = values.begin() + static_cast<std::ptrdiff_t>(hit);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(weft::find_if(measured(), values.begin(), values.end(), is_hit_slowly), expected);
      EXPECT_TRUE(weft::any_of(measured(), values.begin(), values.end(), is_hit_slowly));
      EXPECT_FALSE(weft::none_of(measured(), values.begin(), values.end(), is_hit_slowly));
      EXPECT_FALSE(weft::all_of(measured(), values.begin(), values.end(), is_hit_slowly));
    }
    std::fill(values.begin(), values.end(), 0);
  }
  EXPECT_EQ(weft::find_if(measured(), values.begin(), values.end(), is_hit_slowly), values.end());
  EXPECT_FALSE(weft::any_of(measured(), values.begin(), values.end(), is_hit_slowly));
}

template <class T>
void finds_a_hit_at_every_place(weft::runtime& home) {
  constexpr std::size_t n = 700;
  std::vector<T> values(n, T{1});
  for (std::size_t hit = 0; hit < n; ++hit) {
    values[hit] = T{2};
    const auto is_two = [](T value) { return value == T{2}; };
    const auto found = weft::find_if(weft::par.on(home), values.begin(), values.end(), is_two);
    ASSERT_EQ(found - values.begin(), static_cast<std::ptrdiff_t>(hit)) << sizeof(T) << " bytes";
    values[hit] = T{1};
  }
}

TEST_P(Find, a_predicate_finds_its_hit_at_every_place_of_numbers_of_every_width) {
  finds_a_hit_at_every_place<std::int8_t>(runtime);
  finds_a_hit_at_every_place<std::int16_t>(runtime);
  finds_a_hit_at_every_place<float>(runtime);
  finds_a_hit_at_every_place<double>(runtime);
}

TEST_P(Find, the_last_of_several_hits_is_found) {
  for (const std::size_t n : sizes) {
    std::vector<int> values(n, 1);
    const auto is_two = [](int value) { return value == 2; };
    const auto is_one = [](int value) { return value == 1; };
    EXPECT_EQ(weft::find_last(chunked(), values.begin(), values.end(), 2), values.end());
    for (const std::size_t hit : places_in(n)) {
      values[0] = 2;
      values[hit] = 2;
      const auto expected = values.begin() + static_cast<std::ptrdiff_t>(hit);
      EXPECT_EQ(weft::find_last(measured(), values.begin(), values.end(), 2), expected);
      EXPECT_EQ(weft::find_last_if(chunked(), values.begin(), values.end(), is_two), expected);
      EXPECT_EQ(weft::find_last_if_not(chunked(), values.begin(), values.end(), is_one), expected);
      std::fill(values.begin(), values.end(), 1);
    }
  }
}

TEST_P(Find, values_of_other_types_are_compared_as_the_language_does) {
  std::vector<std::uint8_t> bytes(100, 7);
  bytes[90] = 255;
  EXPECT_EQ(weft::find(chunked(), bytes.begin(), bytes.end(), 255), bytes.begin() + 90);
  EXPECT_EQ(weft::find(chunked(), bytes.begin(), bytes.end(), -1), bytes.end());
  EXPECT_EQ(weft::find(chunked(), bytes.begin(), bytes.end(), 256 + 7), bytes.end());
  std::vector<std::int64_t> longs(100, 7);
  longs[40] = -3;
  EXPECT_EQ(weft::find(chunked(), longs.begin(), longs.end(), -3), longs.begin() + 40);
  EXPECT_EQ(weft::find(chunked(), longs.begin(), longs.end(), 7.5), longs.end());
  std::vector<double> zeros(100, std::numeric_limits<double>::quiet_NaN());
  zeros[50] = -0.0;
  EXPECT_EQ(weft::find(chunked(), zeros.begin(), zeros.end(), 0), zeros.begin() + 50);
  EXPECT_EQ(weft::find(chunked(), zeros.begin(), zeros.end(), zeros[0]), zeros.end());
}

TEST_P(Find, all_any_and_none_agree_with_the_standard) {
  for (const std::size_t n : sizes) {
    std::vector<int> values(n, 1);
    for (const int value : {1, 2}) {
      if (n != 0) {
        values[n / 2] = value;
      }
      const auto is_one = [](int x) { return x == 1; };
      EXPECT_EQ(weft::all_of(chunked(), values.begin(), values.end(), is_one),
                std::all_of(values.begin(), values.end(), is_one));
      EXPECT_EQ(weft::any_of(measured(), values.begin(), values.end(), std::logical_not<>{}),
                false);
      EXPECT_EQ(weft::none_of(chunked(), values.begin(), values.end(), is_one),
                std::none_of(values.begin(), values.end(), is_one));
    }
  }
}

/// The fewest elements that `search(passes)` looks at in some calls, where it finds number `hit`;
/// no more calls than it takes for `most`. Who is behind the hit waits for it, so that a system
/// with less processors than threads does not stop those in front alone; but not for long, since it
/// may lie where nobody is yet.
template <class Search>
std::size_t fewest_looks(std::size_t hit, std::size_t most, Search&& search) {
  using clock = std::chrono::steady_clock;
  std::size_t fewest = SIZE_MAX;
  for (int call = 0; call < 10 && fewest > most; ++call) {
    std::atomic<std::size_t> num_looks{0};
    std::atomic<bool> is_found{false};
    const auto deadline = clock::now() + std::chrono::milliseconds(50);
    search([&, wanted = static_cast<double>(hit)](double x) {
      num_looks.fetch_add(1, std::memory_order_relaxed);
      if (x == wanted) {
        is_found = true;
      }
      while (x > wanted && !is_found && clock::now() < deadline) {
        std::this_thread::yield();
      }
      return x == wanted;
    });
    fewest = std::min(fewest, num_looks.load());
  }
  return fewest;
}

TEST_P(Find, what_lies_behind_an_early_hit_is_hardly_looked_at) {
  constexpr std::size_t piece = weft::algorithms::detail::search_piece_bytes / sizeof(double);
  std::vector<double> values(std::size_t{1} << 18U);
  std::iota(values.begin(), values.end(), 0.0);
  const auto num_searching = static_cast<std::size_t>(GetParam()) + 1;  // and the caller
  for (const std::size_t hit : {std::size_t{0}, std::size_t{1000}, values.size() / 16}) {
    const std::size_t most = hit + 1 + num_searching * piece;
    const std::size_t find_looks = fewest_looks(hit, most, [&](auto passes) {
      EXPECT_EQ(*weft::find_if(measured(), values.begin(), values.end(), passes),
                static_cast<double>(hit));
    });
    const std::size_t any_looks = fewest_looks(hit, most, [&](auto passes) {
      EXPECT_TRUE(weft::any_of(measured(), values.begin(), values.end(), passes));
    });
    EXPECT_LE(find_looks, most);
    EXPECT_LE(any_looks, most);
  }
}

TEST_P(Find, containing_is_finding) {
  std::vector<std::string> words(200, "weft");
  EXPECT_FALSE(weft::contains(chunked(), words.begin(), words.end(), "warp"));
  words[150] = "warp";
  EXPECT_TRUE(weft::contains(chunked(), words.begin(), words.end(), "warp"));
  EXPECT_EQ(weft::find_last(chunked(), words.begin(), words.end(), "warp") - words.begin(), 150);
}

TEST_P(Find, other_iterators_and_move_only_elements_are_searched) {
  std::deque<int> queue(5000, 1);
  queue[4321] = 2;
  EXPECT_EQ(weft::find(chunked(), queue.begin(), queue.end(), 2) - queue.begin(), 4321);
  std::forward_list<int> list(queue.begin(), queue.end());
  EXPECT_EQ(std::distance(list.begin(), weft::find(weft::par, list.begin(), list.end(), 2)), 4321);
  EXPECT_EQ(std::distance(list.begin(), weft::find_last(weft::par, list.begin(), list.end(), 2)),
            4321);
  std::vector<std::unique_ptr<int>> owned(100);
  owned[70] = std::make_unique<int>(3);
  EXPECT_EQ(weft::find_if(chunked(),
                          owned.begin(),
                          owned.end(),
                          [](const auto& pointer) { return pointer != nullptr; }),
            owned.begin() + 70);
  std::vector<bool> bits(100);
  bits[60] = true;
  EXPECT_EQ(weft::find(chunked(), bits.begin(), bits.end(), true), bits.begin() + 60);
}

TEST_P(Find, an_exception_of_the_predicate_arrives) {
  const std::vector<int> values = weft::test::counted<int>(1000);
  for (const int bad : {0, 36, 500, 999}) {
    const auto throws_at = [bad](int value) {
      if (value == bad) {
        throw std::runtime_error("bad");
      }
      return false;
    };
    EXPECT_THROW(
        static_cast<void>(weft::find_if(chunked(), values.begin(), values.end(), throws_at)),
        std::runtime_error);
  }
}

TEST_P(Find, neighbours_that_match_are_found) {
  for (const std::size_t n : sizes) {
    std::vector<int> values = weft::test::counted<int>(n);
    const auto found = [&] { return weft::adjacent_find(chunked(), values.begin(), values.end()); };
    EXPECT_EQ(found(), std::adjacent_find(values.begin(), values.end()));
    for (const std::size_t i : places_in(n)) {
      if (i + 1 < n) {
        const int before = values[i + 1];
        values[i + 1] = values[i];
        EXPECT_EQ(found(), std::adjacent_find(values.begin(), values.end()));
        EXPECT_EQ(weft::adjacent_find(measured(), values.begin(), values.end(), std::greater<>{}),
                  std::adjacent_find(values.begin(), values.end(), std::greater<>{}));
        values[i + 1] = before;
      }
    }
  }
}

TEST_P(Find, the_end_of_the_order_is_found) {
  for (const std::size_t n : sizes) {
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) {
      values[i] = std::floor(static_cast<double>(i) / 2);
    }
    EXPECT_TRUE(weft::is_sorted(chunked(), values.begin(), values.end()));
    EXPECT_TRUE(weft::is_sorted(chunked(), values.rbegin(), values.rend(), std::greater<>{}));
    for (const std::size_t i : places_in(n)) {
      const double before = values[i];
      values[i] = -1;
      EXPECT_EQ(weft::is_sorted_until(chunked(), values.begin(), values.end()),
                std::is_sorted_until(values.begin(), values.end()));
      EXPECT_EQ(weft::is_sorted(measured(), values.begin(), values.end()), i == 0);
      EXPECT_EQ(weft::is_sorted_until(chunked(), values.begin(), values.end(), std::greater<>{}),
                std::is_sorted_until(values.begin(), values.end(), std::greater<>{}));
      values[i] = before;
    }
  }
}

TEST_P(Find, the_end_of_the_heap_is_found) {
  for (const std::size_t n : sizes) {
    std::vector<int> values = weft::test::counted<int>(n);
    std::make_heap(values.begin(), values.end());
    EXPECT_TRUE(weft::is_heap(chunked(), values.begin(), values.end()));
    for (const std::size_t i : places_in(n)) {
      const int before = values[i];
      values[i] = 20'000;
      EXPECT_EQ(weft::is_heap_until(chunked(), values.begin(), values.end()),
                std::is_heap_until(values.begin(), values.end()));
      EXPECT_EQ(weft::is_heap(measured(), values.begin(), values.end(), std::greater<>{}),
                std::is_heap(values.begin(), values.end(), std::greater<>{}));
      values[i] = before;
    }
  }
}

TEST_P(Find, partitions_are_recognised) {
  const auto is_small = [](int value) { return value < 10; };
  for (const std::size_t n : sizes) {
    for (const std::size_t border : {std::size_t{0}, n / 3, n}) {
      std::vector<int> values(n, 5);
      std::fill(values.begin() + static_cast<std::ptrdiff_t>(border), values.end(), 15);
      EXPECT_TRUE(weft::is_partitioned(chunked(), values.begin(), values.end(), is_small));
      if (border + 1 < n) {
        values[n - 1] = 5;
        EXPECT_FALSE(weft::is_partitioned(chunked(), values.begin(), values.end(), is_small));
      }
    }
  }
}

TEST_P(Find, one_element_out_of_place_is_found_wherever_it_lies) {
  constexpr std::size_t n = 300'000;  // all workers look
  for (const std::size_t border : {std::size_t{1}, n / 7, n / 2, n - 1}) {
    std::vector<std::uint8_t> is_in_front(n, 0);
    std::fill_n(is_in_front.begin(), border, std::uint8_t{1});
    std::atomic<std::size_t> num_looks{0};
    const auto passes = [&num_looks](std::uint8_t value) {
      num_looks.fetch_add(1, std::memory_order_relaxed);
      return value == 1;
    };
    EXPECT_TRUE(weft::is_partitioned(measured(), is_in_front.begin(), is_in_front.end(), passes));
    EXPECT_GE(num_looks, n);
    EXPECT_LE(num_looks, n + (std::size_t{64} * static_cast<std::size_t>(GetParam())));
    for (const std::size_t at :
         {std::size_t{0}, border / 2, border, border + 1, (n + border) / 2, n - 1}) {
      const bool is_right = at >= n || at + 1 == border || at == border;
      if (!is_right) {
        is_in_front[at] ^= 1U;
        EXPECT_FALSE(
            weft::is_partitioned(measured(), is_in_front.begin(), is_in_front.end(), passes))
            << "border " << border << ", wrong at " << at;
        is_in_front[at] ^= 1U;
      }
    }
  }
}

// What the prologue measures is for as many elements as were looked at.
TEST(PartitionBorder, says_where_it_stopped) {
  constexpr std::size_t n = 1'000;
  std::vector<double> values(n, 1.0);
  const auto is_one = [](double value) { return value == 1.0; };
  weft::algorithms::detail::partition_border right;
  EXPECT_EQ(right.look_at(values.begin(), 0, n, is_one), n);

  values[n - 100] = 0.0;
  weft::algorithms::detail::partition_border wrong;
  EXPECT_EQ(wrong.look_at(values.begin(), 0, n, is_one), n - 99);
  EXPECT_TRUE(wrong.is_wrong());

  weft::algorithms::detail::partition_border seen_from_behind;
  EXPECT_EQ(seen_from_behind.look_at(values.begin(), n - 50, n, is_one), n);
  EXPECT_FALSE(seen_from_behind.is_wrong());
  EXPECT_EQ(seen_from_behind.look_at(values.begin(), n - 100, n - 99, is_one), n - 100);
  EXPECT_TRUE(seen_from_behind.is_wrong());
}

INSTANTIATE_TEST_SUITE_P(Workers, Find, testing::Values(1, 2, 7));

}  // namespace find_test
