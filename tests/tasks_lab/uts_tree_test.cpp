// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The hash against published digests, the trees against published counts.
#include "lab/tasks/uts_tree.hpp"

#include <cstdint>

#include <gtest/gtest.h>

#include "support/sanitizer.hpp"
#include "tasks_lab/support/inline_runtime.hpp"

namespace weft::lab::tasks {
namespace uts_tree_test {

tree_counts count_below(const uts_tree& shape, const uts_node& node) {
  const std::uint32_t num_children = node.num_children(shape);
  tree_counts below;
  for (std::uint32_t i = 0; i < num_children; ++i) {
    add_subtree(below, count_below(shape, node.child(i)));
  }
  return with_node(node, num_children, below);
}

TEST(Sha1, gives_the_published_digest) {
  // Twenty zero bytes: 6768033e216468247bd031a0a2d9876d79818f8f.
  const digest found = sha1(digest{});
  EXPECT_EQ(found, (digest{0x6768033eU, 0x21646824U, 0x7bd031a0U, 0xa2d9876dU, 0x79818f8fU}));
}

template <class Trees>
void expect_stated_counts(const Trees& trees) {
  for (const uts_tree& shape : trees) {
    const tree_counts found = count_below(shape, uts_node::root(shape));
    EXPECT_EQ(found, shape.published)
        << shape.name << ": " << found.nodes << ", " << found.leaves << ", " << found.depth;
  }
}

TEST(UtsTree, has_the_published_counts) {
  if (test::is_sanitized) {
    GTEST_SKIP() << "eight million hashes take a minute; small trees run the same code";
  }
  expect_stated_counts(uts_trees());
}

TEST(UtsTree, of_the_tests_has_the_counts_stated) {
  expect_stated_counts(testing::small_uts_trees());
}

}  // namespace uts_tree_test
}  // namespace weft::lab::tasks
