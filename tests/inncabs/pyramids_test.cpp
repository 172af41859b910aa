// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem pyramids: the cuts, the iteration against its definition, and its checker.
#include "lab/inncabs/pyramids/pyramids.hpp"

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lab/inncabs/input_class.hpp"
#include "lab/inncabs/pyramids/pieces.hpp"
#include "lab/inncabs/pyramids/pyramids_futures.hpp"
#include "lab/inncabs/pyramids/pyramids_groups.hpp"
#include "tests/inncabs/counting_runtime.hpp"
#include "tests/inncabs/inline_runtime.hpp"

namespace weft::lab::inncabs::pyramids {
namespace pyramids_test {

using testing::counting_runtime;
using testing::inline_runtime;

/// How often each point of each step is in a leaf; an axis has `num_cells` points, its ends are
/// one.
class cover {
 public:
  cover(std::size_t num_cells, std::size_t leaf)
      : num_cells_(num_cells), leaf_(leaf), times_(num_cells * num_cells * (num_cells / 2)) {}

  void add(const piece& whole) {
    if (whole.size <= leaf_) {
      add_leaf(whole);
      return;
    }
    for (const stage& each : stages_of(whole)) {
      for (std::size_t i = 0; i < each.count; ++i) {
        add(each.pieces[i]);
      }
    }
  }

  [[nodiscard]] const std::vector<int>& times() const { return times_; }

 private:
  void add_leaf(const piece& what) {
    for (std::size_t step = 1; step <= what.size / 2; ++step) {
      const points rows = covered(what.rows, what.size, step);
      const points columns = covered(what.columns, what.size, step);
      for (std::size_t i = rows.first; i < rows.last; ++i) {
        for (std::size_t j = columns.first; j < columns.last; ++j) {
          const std::size_t plane = what.steps_before + step - 1;
          ++times_[(plane * num_cells_ + i % num_cells_) * num_cells_ + j % num_cells_];
        }
      }
    }
  }

  std::size_t num_cells_;
  std::size_t leaf_;
  std::vector<int> times_;
};

// The mean of four neighbours, written down once more.
std::vector<double> iterate_by_definition(const input& in) {
  const std::size_t width = in.num_cells + 1;
  std::vector<double> before = in.start;
  for (std::size_t step = 0; step < in.num_steps(); ++step) {
    std::vector<double> after = before;
    for (std::size_t i = 1; i < in.num_cells; ++i) {
      for (std::size_t j = 1; j < in.num_cells; ++j) {
        after[i * width + j] = (before[(i - 1) * width + j] + before[(i + 1) * width + j] +
                                before[i * width + j - 1] + before[i * width + j + 1]) /
                               4;
      }
    }
    before = after;
  }
  return before;
}

TEST(PyramidsPieces, cover_each_point_of_each_step_once) {
  for (const std::size_t leaf : {2U, 4U, 8U, 32U}) {
    cover all(32, leaf);
    for (const piece& each : whole_pieces(32)) {
      all.add(each);
    }

    EXPECT_EQ(all.times(), std::vector<int>(all.times().size(), 1)) << "leaves of " << leaf;
  }
}

TEST(PyramidsPieces, are_as_many_tasks_as_the_study_counts) {
  EXPECT_EQ(num_concurrent_pieces(2048, 64), 112'344U);
  EXPECT_EQ(num_concurrent_pieces(64, 64), 0U);
}

TEST(Pyramids, the_oracle_is_the_mean_of_four_neighbours) {
  const input in = make_input(input_class::tiny, 7);

  const result found = run_serial(in);

  const std::vector<double> expected = iterate_by_definition(in);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(found[i], expected[i], 1e-12) << "element " << i;
  }
}

TEST(Pyramids, borders_stay_and_a_plane_is_a_fixed_point) {
  input in = make_input(input_class::tiny, 7);
  const std::size_t width = in.num_cells + 1;
  for (std::size_t i = 0; i < in.start.size(); ++i) {
    const std::size_t row = i / width;
    in.start[i] = static_cast<double>(row) + 2 * static_cast<double>(i % width);
  }

  EXPECT_EQ(run_groups<inline_runtime>(in), in.start);
}

TEST(Pyramids, bodies_find_what_the_oracle_finds_for_leaves_of_every_size) {
  input in = make_input(input_class::tiny, 42);
  in.num_cells = 64;
  in.start.resize(65UL * 65);
  const result expected = run_serial(in);

  for (const std::size_t leaf : {2U, 4U, 16U, 32U, 64U}) {
    in.leaf = leaf;
    EXPECT_EQ(run_futures<inline_runtime>(in, inline_runtime::launch::at_once), expected) << leaf;
    EXPECT_EQ(run_groups<inline_runtime>(in), expected) << leaf;
  }
}

TEST(Pyramids, bodies_make_as_many_tasks_as_stated) {
  const input in = make_input(input_class::tiny, 42);
  counting_runtime::tasks = 0;
  run_futures<counting_runtime>(in, counting_runtime::launch::at_once);

  EXPECT_EQ(counting_runtime::tasks, num_tasks(in));
}

TEST(Pyramids, every_planted_error_is_found) {
  const input in = make_input(input_class::tiny, 42);
  const result right = run_serial(in);
  result off_by_a_bit = right;
  off_by_a_bit[5000] += 1e-15;
  result not_a_number = right;
  not_a_number.back() = std::numeric_limits<double>::quiet_NaN();

  EXPECT_EQ(mismatch(in, right), "");
  EXPECT_EQ(mismatch(in, off_by_a_bit).find("element 5000 is "), 0U);
  EXPECT_EQ(mismatch(in, not_a_number).find("element 16640 is nan"), 0U);
  EXPECT_EQ(mismatch(in, {}), "0 elements, expected 16641");
}

}  // namespace pyramids_test
}  // namespace weft::lab::inncabs::pyramids
