// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sequential find is really executed: its time grows with the position, and no memory is so
// fast that the loop could have been deleted.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "lab/harness/experiment.hpp"
#include "lab/stl/backend.hpp"
#include "lab/stl/operations.hpp"
#include "lab/stl/suite.hpp"
#include "stl/support/reference_backend.hpp"

namespace weft::lab::stl {
namespace find_cost_test {

using clock = std::chrono::steady_clock;

/// Seconds of the fastest of several calls of the experiment.
double fastest_call_s(std::size_t size) {
  const stl_suite suite(linked_backend());
  auto made = suite.make(testing::cell_of("find", "double", size));
  const auto experiment = std::move(std::get<std::unique_ptr<weft::lab::experiment>>(made));
  constexpr std::size_t num_calls = 64;  // consecutive positions: half the array on average
  double fastest_s = 1e9;
  for (int sample = 0; sample < 10; ++sample) {
    const auto start = clock::now();
    experiment->run(num_calls);
    const std::chrono::duration<double> elapsed = clock::now() - start;
    fastest_s = std::min(fastest_s, elapsed.count() / num_calls);
  }
  return fastest_s;
}

/// Bytes per second no cache of one core reaches.
constexpr double impossible_bandwidth = 1e12;

TEST(SequentialFind, takes_the_time_to_read_the_elements_before_the_match) {
  const std::size_t size = std::size_t{1} << 20U;

  EXPECT_GT(fastest_call_s(size),
            0.5 * static_cast<double>(size) * sizeof(double) / impossible_bandwidth);
}

TEST(SequentialFind, takes_longer_in_a_longer_array) {
  const double short_s = fastest_call_s(std::size_t{1} << 14U);
  const double long_s = fastest_call_s(std::size_t{1} << 20U);

  EXPECT_GT(long_s / short_s, 8.0);
}

TEST(SequentialFind, of_the_last_element_reads_the_whole_array) {
  const auto& find = std::get<operations<double>>(linked_backend().typed_operations).find;
  const auto worst_s = [&](std::size_t size) {
    std::vector<double> elements(size);
    elements.back() = 1.0;
    double fastest_s = 1e9;
    for (int sample = 0; sample < 20; ++sample) {
      const auto start = clock::now();
      const auto* found = find(elements.data(), elements.data() + size, 1.0);
      const std::chrono::duration<double> elapsed = clock::now() - start;
      EXPECT_EQ(found, &elements.back());
      fastest_s = std::min(fastest_s, elapsed.count());
    }
    return fastest_s;
  };
  const double long_s = worst_s(std::size_t{1} << 20U);

  EXPECT_GT(long_s, static_cast<double>(sizeof(double) << 20U) / impossible_bandwidth);
  EXPECT_GT(long_s / worst_s(std::size_t{1} << 14U), 8.0);
}

}  // namespace find_cost_test
}  // namespace weft::lab::stl
