// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every problem accepts right answers, can be timed, and says what it must move.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "lab/harness/experiment.hpp"
#include "lab/stl/backend.hpp"
#include "lab/stl/operations.hpp"
#include "lab/stl/suite.hpp"
#include "stl/support/reference_backend.hpp"

namespace weft::lab::stl {
namespace problems_test {

using testing::cell_of;
using testing::mismatch_of;
using testing::reference_backend;

std::unique_ptr<experiment> make(const backend& with, const cell& what) {
  return std::get<std::unique_ptr<experiment>>(stl_suite(with).make(what));
}

class every_problem : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  /// Calls `check(cell)` for sizes small and large.
  template <class Check>
  void for_each_size(const Check& check) const {
    for (const std::size_t size : {1U, 2U, 3U, 7U, 1000U, 20011U}) {
      SCOPED_TRACE(std::to_string(size) + " elements");
      check(cell_of(std::get<0>(GetParam()), std::get<1>(GetParam()), size));
    }
  }

  const backend reference_ = reference_backend();
};

TEST_P(every_problem, accepts_a_right_answer_before_and_after_timed_calls) {
  for_each_size([this](const cell& what) {
    const auto experiment = make(reference_, what);
    const std::size_t count = std::min<std::size_t>(3, experiment->max_calls());
    EXPECT_EQ(experiment->verify().mismatch, "");

    for (int sample = 0; sample < 2; ++sample) {
      experiment->prepare(count);
      experiment->run(count);
    }

    EXPECT_EQ(experiment->verify().mismatch, "");
  });
}

TEST_P(every_problem, accepts_a_right_answer_in_memory_touched_by_the_backend) {
  for_each_size([this](cell what) {
    what.allocator = "first_touch";

    EXPECT_EQ(mismatch_of(reference_, what), "");
  });
}

TEST_P(every_problem, moves_at_least_one_element_and_at_most_all_four_times) {
  for_each_size([this](const cell& what) {
    const auto experiment = make(reference_, what);
    const std::size_t element_bytes = what.type == "double" ? 8 : 4;

    EXPECT_GE(experiment->bytes_min(), element_bytes);
    EXPECT_LE(experiment->bytes_min(), 4 * what.size * element_bytes);
  });
}

TEST_P(every_problem, names_itself_where_the_backend_lacks_it) {
  backend lacking = reference_;
  std::get<operations<int>>(lacking.typed_operations) = {};
  std::get<operations<float>>(lacking.typed_operations) = {};
  std::get<operations<double>>(lacking.typed_operations) = {};

  EXPECT_EQ(mismatch_of(lacking, cell_of(std::get<0>(GetParam()), std::get<1>(GetParam()), 8)),
            "skipped: not_offered");
}

INSTANTIATE_TEST_SUITE_P(
    AllProblemsAndTypes,
    every_problem,
    ::testing::Combine(::testing::ValuesIn(stl_suite(reference_backend()).problems()),
                       ::testing::Values("int", "float", "double")),
    [](const auto& test) { return std::get<0>(test.param) + "_" + std::get<1>(test.param); });

TEST(Problems, bytes_are_those_of_the_elements_read_and_written) {
  const backend reference = reference_backend();
  const auto bytes_of = [&](const std::string& problem) {
    return make(reference, cell_of(problem, "double", 1 << 12))->bytes_min();
  };

  EXPECT_EQ(bytes_of("for_each"), 8U << 12U);
  EXPECT_EQ(bytes_of("reduce"), 8U << 12U);
  EXPECT_EQ(bytes_of("sort"), 16U << 12U);
  EXPECT_EQ(bytes_of("merge"), 16U << 12U);
  EXPECT_EQ(bytes_of("destroy"), 8U << 12U);
  EXPECT_EQ(bytes_of("equal"), 16U << 12U);
  EXPECT_EQ(bytes_of("inplace_merge"), 24U << 12U);
  EXPECT_EQ(bytes_of("partial_sort_copy"), 9U << 12U);
  EXPECT_EQ(bytes_of("swap_ranges"), 32U << 12U);
  EXPECT_EQ(bytes_of("histogram"), 8U << 12U);
  EXPECT_EQ(bytes_of("sort_by_key"), 32U << 12U);
  EXPECT_NEAR(static_cast<double>(bytes_of("reduce_by_key")), 3.0 * (8U << 12U), 0.1 * (8U << 12U));
  EXPECT_NEAR(static_cast<double>(bytes_of("any_of")), 0.5 * (8U << 12U), 0.01 * (8U << 12U));
  EXPECT_NEAR(static_cast<double>(bytes_of("copy_if")), 1.5 * (8U << 12U), 0.05 * (8U << 12U));
  EXPECT_NEAR(static_cast<double>(bytes_of("find")), 0.5 * (8U << 12U), 0.01 * (8U << 12U));
}

TEST(Sort, has_room_for_batches_of_inputs_that_may_be_learnt_and_for_one_large) {
  const backend reference = reference_backend();

  EXPECT_EQ(make(reference, cell_of("sort", "double", 8))->max_calls(), 2048U);
  EXPECT_EQ(make(reference, cell_of("sort", "double", 1 << 16))->max_calls(), 4U);
  EXPECT_EQ(make(reference, cell_of("sort", "double", 1 << 18))->max_calls(), 1U);
}

/// The inputs that calls saw, one after the other.
std::vector<std::vector<int>>& seen_inputs() {
  static std::vector<std::vector<int>> inputs;
  return inputs;
}

operations<int> recording_operations() {
  operations<int> recording;
  recording.sort = [](int* first, int* last) { seen_inputs().emplace_back(first, last); };
  recording.sort_in_place = recording.sort;
  recording.copy_if = [](const int* first, const int* last, int* out) {
    seen_inputs().emplace_back(first, last);
    return out;
  };
  recording.remove = [](int* first, int* last) {
    seen_inputs().emplace_back(first, last);
    return last;
  };
  recording.partition = recording.remove;
  recording.unique_copy = recording.copy_if;
  recording.merge = [](const int* left, const int* left_last, const int*, const int*, int* out) {
    seen_inputs().emplace_back(left, left_last);
    return out;
  };
  recording.set_union = recording.merge;
  recording.sort_by_key = [](int* first, int* last, int*) {
    seen_inputs().emplace_back(first, last);
  };
  recording.reduce_by_key =
      [](const int* first, const int* last, const int*, int* keys_out, int* sums_out) {
        seen_inputs().emplace_back(first, last);
        return two_ends<int>{keys_out, sums_out};
      };
  return recording;
}

class learnable_calls : public ::testing::TestWithParam<std::string> {
 protected:
  /// Runs batches of `count` calls, or as many as there is room for; expects that no two are alike.
  static void expect_different_inputs(std::size_t size, std::size_t count) {
    backend recording = reference_backend();
    std::get<operations<int>>(recording.typed_operations) = recording_operations();
    const auto experiment = make(recording, cell_of(GetParam(), "int", size));
    constexpr std::size_t num_batches = 3;
    const std::size_t num_calls = std::min(count, experiment->max_calls());
    seen_inputs().clear();

    for (std::size_t batch = 0; batch < num_batches; ++batch) {
      experiment->prepare(num_calls);
      experiment->run(num_calls);
    }

    const std::set<std::vector<int>> different(seen_inputs().begin(), seen_inputs().end());
    EXPECT_EQ(seen_inputs().size(), num_batches * num_calls);
    EXPECT_EQ(different.size(), num_batches * num_calls);
  }
};

TEST_P(learnable_calls, that_are_short_see_different_inputs) { expect_different_inputs(64, 500); }

TEST_P(learnable_calls, that_are_long_see_different_inputs) {
  expect_different_inputs(std::size_t{1} << 14U, 500);
  expect_different_inputs(std::size_t{1} << 17U, 500);
}

INSTANTIATE_TEST_SUITE_P(Problems,
                         learnable_calls,
                         ::testing::Values("sort",
                                           "copy_if",
                                           "merge",
                                           "partition",
                                           "reduce_by_key",
                                           "remove",
                                           "set_union",
                                           "sort_by_key",
                                           "sort_in_place",
                                           "unique_copy"));

TEST(Find, looks_for_the_same_elements_in_another_order_in_each_batch) {
  backend recording = reference_backend();
  std::get<operations<int>>(recording.typed_operations).find =
      [](const int* first, const int*, int value) {
        seen_inputs().back().push_back(value);
        return first;
      };
  const auto experiment = make(recording, cell_of("find", "int", 8));
  seen_inputs().clear();
  for (int batch = 0; batch < 2; ++batch) {
    seen_inputs().emplace_back();
    experiment->prepare(512);
    experiment->run(512);
  }
  std::vector<int> first = seen_inputs()[0];
  std::vector<int> second = seen_inputs()[1];

  EXPECT_NE(first, second);
  std::ranges::sort(first);
  std::ranges::sort(second);
  EXPECT_EQ(first, second);
}

TEST(ForEach, counts_to_the_parameter_k_it) {
  for (const std::string problem : {"for_each", "for_each_n"}) {
    cell what = cell_of(problem, "float", 5);
    what.params["k_it"] = 1000;

    EXPECT_EQ(mismatch_of(reference_backend(), what), "");
  }
}

}  // namespace problems_test
}  // namespace weft::lab::stl
