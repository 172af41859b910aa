// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem sparselu: against a dense elimination, both task graphs, and its checker.
#include "lab/inncabs/sparselu/sparselu.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lab/inncabs/input_class.hpp"
#include "lab/inncabs/sparselu/blocks.hpp"
#include "lab/inncabs/sparselu/sparselu_futures.hpp"
#include "lab/inncabs/sparselu/sparselu_groups.hpp"
#include "tests/inncabs/counting_runtime.hpp"
#include "tests/inncabs/inline_runtime.hpp"

namespace weft::lab::inncabs::sparselu {
namespace sparselu_test {

using testing::counting_runtime;
using testing::inline_runtime;

std::vector<double> dense(const blocked_matrix& of) {
  const std::size_t n = of.block_rows();
  const std::size_t width = n * of.num_blocks();
  std::vector<double> made(width * width);
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t j = 0; j < width; ++j) {
      if (of.is_stored(i / n, j / n)) {
        made[i * width + j] = of.at(i / n, j / n)[i % n * n + j % n];
      }
    }
  }
  return made;
}

// Gaussian elimination, which knows nothing of blocks.
std::vector<double> eliminated(std::vector<double> a, std::size_t width) {
  for (std::size_t k = 0; k < width; ++k) {
    for (std::size_t i = k + 1; i < width; ++i) {
      a[i * width + k] /= a[k * width + k];
      for (std::size_t j = k + 1; j < width; ++j) {
        a[i * width + j] -= a[i * width + k] * a[k * width + j];
      }
    }
  }
  return a;
}

std::size_t num_stored(const blocked_matrix& of) {
  std::size_t stored = 0;
  for (std::size_t i = 0; i < of.num_blocks(); ++i) {
    for (std::size_t j = 0; j < of.num_blocks(); ++j) {
      if (of.is_stored(i, j)) {
        ++stored;
      }
    }
  }
  return stored;
}

input input_with(task_graph graph) {
  input made = make_input(input_class::tiny, 7);
  made.graph = graph;
  return made;
}

TEST(Sparselu, the_oracle_is_gaussian_elimination) {
  const input in = make_input(input_class::tiny, 42);
  const std::size_t width = in.matrix.num_blocks() * in.matrix.block_rows();

  const std::vector<double> found = dense(run_serial(in));

  const std::vector<double> expected = eliminated(dense(in.matrix), width);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(found[i], expected[i], 1e-11) << "element " << i;
  }
}

TEST(Sparselu, the_input_is_sparse_and_fills_in) {
  const input in = make_input(input_class::tiny, 42);

  const std::size_t before = num_stored(in.matrix);

  EXPECT_LT(before, 50U);
  EXPECT_GT(num_stored(run_serial(in)), before);
}

TEST(Sparselu, bodies_find_what_the_oracle_finds_in_both_graphs) {
  for (const task_graph graph : {task_graph::complete, task_graph::reused_index}) {
    const input in = input_with(graph);

    EXPECT_EQ(mismatch(in, run_futures<inline_runtime>(in, inline_runtime::launch::at_once)), "");
    EXPECT_EQ(mismatch(in, run_groups<inline_runtime>(in)), "");
  }
}

TEST(Sparselu, bodies_make_as_many_tasks_as_stated) {
  for (const task_graph graph : {task_graph::complete, task_graph::reused_index}) {
    const input in = input_with(graph);
    counting_runtime::tasks = 0;
    run_futures<counting_runtime>(in, counting_runtime::launch::at_once);
    const auto by_futures = counting_runtime::tasks;
    run_groups<counting_runtime>(in);

    EXPECT_EQ(num_tasks(in), by_futures);
    EXPECT_EQ(counting_runtime::tasks, 2 * by_futures);
  }
}

TEST(Sparselu, the_input_of_the_study_makes_as_many_tasks_as_the_study_counts) {
  input in = make_input(input_class::paper, 1);
  EXPECT_EQ(num_tasks(in), 11'675U);

  use_original_graph(in);
  EXPECT_EQ(num_tasks(in), 11'099U);
}

TEST(Sparselu, the_graph_that_reuses_its_index_leaves_no_factors) {
  const input complete = make_input(input_class::tiny, 7);
  const input reused = input_with(task_graph::reused_index);

  EXPECT_EQ(mismatch(complete, run_serial(reused)).find("row "), 0U);
}

TEST(Sparselu, every_planted_error_is_found) {
  const input in = make_input(input_class::tiny, 42);
  const result right = run_serial(in);
  result large = right;
  large.at(9, 9)[143] += 1;
  result tiny = right;
  tiny.at(2, 1)[17] += 1e-16;
  result without_a_block = right;
  without_a_block.at(6, 8).clear();
  result with_a_block = right;
  with_a_block.at(0, 9).resize(144);

  EXPECT_EQ(mismatch(in, right), "");
  EXPECT_EQ(mismatch(in, large).find("row 119 of L U x is "), 0U);
  EXPECT_EQ(mismatch(in, tiny).find("block (2, 1): element 17 is "), 0U);
  EXPECT_NE(mismatch(in, without_a_block), "");
  EXPECT_EQ(mismatch(in, with_a_block), "block (0, 9) is stored, expected none");
  EXPECT_NE(mismatch(in, blocked_matrix(10, 6)), "");
}

}  // namespace sparselu_test
}  // namespace weft::lab::inncabs::sparselu
