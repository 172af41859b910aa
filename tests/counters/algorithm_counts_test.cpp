// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about what parallel algorithms tell, and the counters that show it.
#include "weft/counters/algorithm_counts.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/error.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/registry.hpp"
#include "weft/counters/session.hpp"
#include "weft/counters/worker_block.hpp"

#include "counters/core/tick_buckets.hpp"
#include "counters/families/algorithms.hpp"
#include "counters/families/builtin.hpp"

namespace algorithm_counts_test {

using std::chrono::nanoseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using weft::counters::algorithm_call;
using weft::counters::algorithm_counts;
using weft::counters::counter_value;
using weft::counters::histogram_value;
using weft::counters::session;
using weft::counters::session_readings;
using weft::counters::tick_histogram;

/// 100 elements in 4 chunks on 2 workers, one of which took thrice as long as the other one.
constexpr algorithm_call lopsided{.num_elements = 100,
                                  .num_chunks = 4,
                                  .num_shares = 2,
                                  .longest_share = nanoseconds(3000),
                                  .all_shares = nanoseconds(4000)};

class AlgorithmCounters : public testing::Test {
 protected:
  AlgorithmCounters() {
    weft::counters::detail::add_families(
        registry, kept, weft::counters::detail::algorithm_families(counts));
  }
  session all() const {
    return session(std::vector<std::string>{"/parallel_algorithms/*"}, registry);
  }

  algorithm_counts counts;
  mutable weft::counters::registry registry;
  std::vector<weft::counters::registration> kept;
};

TEST(AlgorithmCounts, calls_add_up) {
  algorithm_counts counts;

  counts.count(lopsided);
  counts.count({.num_elements = 7, .num_chunks = 1});

  EXPECT_EQ(counts.read().num_calls, 2u);
  EXPECT_EQ(counts.read().num_elements, 107u);
  EXPECT_EQ(counts.read().num_chunks, 5u);
  EXPECT_EQ(counts.read().longest_shares_ns, 3000u);
  EXPECT_EQ(counts.read().mean_shares_ns, 2000u);
}

TEST(AlgorithmCounts, no_call_is_lost_between_threads) {
  algorithm_counts counts;
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int k = 0; k < 10'000; ++k) {
          counts.count(lopsided);
          (void)counts.read();
        }
      });
    }
  }

  EXPECT_EQ(counts.read().num_calls, 40'000u);
  EXPECT_EQ(counts.read().chunk_sizes.weight[tick_histogram<int>::bucket_of(25)], 160'000u);
}

TEST_F(AlgorithmCounters, a_call_left_to_the_caller_is_one_chunk) {
  session reading = all();

  counts.count_alone(30);
  counts.count_dropped_exception();

  const session_readings now = reading.evaluate();
  EXPECT_EQ(now.number_of("/parallel_algorithms/count/calls"), 1);
  EXPECT_EQ(now.number_of("/parallel_algorithms/count/sequential-calls"), 1);
  EXPECT_EQ(now.number_of("/parallel_algorithms/chunk-size"), 30);
  EXPECT_EQ(now.number_of("/parallel_algorithms/count/dropped-exceptions"), 1);
}

TEST(AlgorithmCounts, the_process_has_one) {
  EXPECT_EQ(&weft::counters::process_algorithms(), &weft::counters::process_algorithms());
}

TEST_F(AlgorithmCounters, show_chunks_and_their_sizes) {
  session reading = all();

  counts.count(lopsided);
  counts.count({.num_elements = 20, .num_chunks = 1});

  const session_readings now = reading.evaluate();
  EXPECT_EQ(now.number_of("/parallel_algorithms/count/calls"), 2);
  EXPECT_EQ(now.number_of("/parallel_algorithms/count/elements"), 120);
  EXPECT_EQ(now.number_of("/parallel_algorithms/count/chunks"), 5);
  EXPECT_EQ(now.number_of("/parallel_algorithms/chunk-size"), 24);
}

TEST_F(AlgorithmCounters, an_imbalance_is_what_the_slowest_took_longer) {
  session reading = all();

  counts.count(lopsided);

  EXPECT_EQ(reading.evaluate().number_of("/parallel_algorithms/imbalance"), 5000);
}

TEST_F(AlgorithmCounters, calls_before_a_reset_do_not_count) {
  counts.count(lopsided);
  session reading = all();

  counts.count({.num_elements = 1, .num_chunks = 1});

  EXPECT_EQ(reading.evaluate().number_of("/parallel_algorithms/count/elements"), 1);
}

TEST_F(AlgorithmCounters, chunk_sizes_before_a_reset_do_not_count) {
  counts.count(lopsided);
  counts.count({.num_elements = 0, .num_chunks = 1});
  session reading = all();

  counts.count({.num_elements = 1, .num_chunks = 1});

  const session_readings now = reading.evaluate();
  EXPECT_THAT(now.histogram_of("/parallel_algorithms/histogram/chunk-size").buckets,
              ElementsAre(histogram_value::bucket{.upper = 2, .weight = 1}));
}

TEST_F(AlgorithmCounters, without_calls_there_is_no_chunk_size) {
  const session_readings now = all().evaluate();

  EXPECT_EQ(now.number_of("/parallel_algorithms/count/calls"), 0);
  EXPECT_THAT([&] { (void)now.number_of("/parallel_algorithms/chunk-size"); },
              testing::ThrowsMessage<weft::error>(HasSubstr("no parallel algorithm")));
  EXPECT_THAT([&] { (void)now.number_of("/parallel_algorithms/imbalance"); },
              testing::ThrowsMessage<weft::error>(HasSubstr("no parallel algorithm")));
}

TEST_F(AlgorithmCounters, take_no_parameters) {
  EXPECT_THAT(
      [&] { session(std::vector<std::string>{"/parallel_algorithms/imbalance@1"}, registry); },
      testing::ThrowsMessage<weft::error>(HasSubstr("takes no parameters")));
}

TEST(TickBuckets, histograms_begin_and_end_where_something_is) {
  tick_histogram<std::uint64_t> recorded;
  recorded.weight[tick_histogram<int>::bucket_of(3)] = 2;
  recorded.weight[tick_histogram<int>::bucket_of(5)] = 1;

  const histogram_value shown = weft::counters::detail::to_histogram(recorded, 10);

  ASSERT_EQ(shown.buckets.size(), 3u);
  EXPECT_EQ(shown.buckets[0], (histogram_value::bucket{.upper = 40, .weight = 2}));
  EXPECT_EQ(shown.buckets[1], (histogram_value::bucket{.upper = 50, .weight = 0}));
  EXPECT_EQ(shown.buckets[2], (histogram_value::bucket{.upper = 60, .weight = 1}));
  EXPECT_EQ(shown.sum, 2 * 30 + 50);
}

}  // namespace algorithm_counts_test
