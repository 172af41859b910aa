// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The hash against published digests, the trees against published counts.
#include "lab/tasks/uts_tree.hpp"

#include <cstdint>

#include <gtest/gtest.h>

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

TEST(UtsTree, has_the_published_counts) {
  for (const uts_tree& shape : uts_trees()) {
    EXPECT_EQ(count_below(shape, uts_node::root(shape)), shape.published) << shape.name;
  }
}

}  // namespace uts_tree_test
}  // namespace weft::lab::tasks
