// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem uts: its trees, its bodies, and its checker.
#include "lab/inncabs/uts/uts.hpp"

#include <cstdint>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/inncabs/input_class.hpp"
#include "lab/inncabs/uts/uts_futures.hpp"
#include "lab/inncabs/uts/uts_groups.hpp"
#include "lab/tasks/uts_tree.hpp"
#include "tests/inncabs/inline_runtime.hpp"
#include "tests/support/sanitizer.hpp"

namespace weft::lab::inncabs::uts {
namespace uts_test {

using ::testing::HasSubstr;
using testing::inline_runtime;

TEST(Uts, the_trees_have_the_sizes_stated) {
  for (const input_class which : {input_class::tiny, input_class::small}) {
    if (test::is_sanitized && which == input_class::small) {
      continue;  // four million hashes take half a minute; the tiny tree runs the same code
    }
    const input of = make_input(which, 1);

    EXPECT_EQ(mismatch(of, run_serial(of)), "") << name_of(which);
  }
}

TEST(Uts, leaves_follow_from_nodes_in_a_binomial_tree) {
  for (const input_class which : input_classes) {
    const tasks::uts_tree tree = make_input(which, 1).shape;
    const auto below_root = static_cast<std::uint64_t>(tree.root_children);

    const std::uint64_t num_inner = (tree.published.nodes - 1 - below_root) / tree.max_children;

    EXPECT_EQ(tree.published.nodes, 1 + below_root + num_inner * tree.max_children);
    EXPECT_EQ(tree.published.leaves, tree.published.nodes - 1 - num_inner) << name_of(which);
  }
}

TEST(Uts, bodies_agree_with_the_traversal) {
  const input of = make_input(input_class::tiny, 1);

  EXPECT_EQ(run_futures<inline_runtime>(of, inline_runtime::launch::at_once), run_serial(of));
  EXPECT_EQ(run_groups<inline_runtime>(of), run_serial(of));
}

TEST(Uts, the_check_says_what_is_wrong) {
  const input of = make_input(input_class::tiny, 1);
  result found = of.shape.published;
  --found.leaves;

  EXPECT_THAT(mismatch(of, found), HasSubstr("8089 leaves and depth 23, expected are 10121 nodes"));
}

}  // namespace uts_test
}  // namespace weft::lab::inncabs::uts
