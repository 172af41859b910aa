// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem uts with one group per node that has children.
#pragma once

#include <cstdint>
#include <vector>

#include "lab/inncabs/runtime_concepts.hpp"
#include "lab/inncabs/uts/uts.hpp"
#include "lab/tasks/uts_tree.hpp"

namespace weft::lab::inncabs::uts {

template <groups_runtime Runtime>
result unfold_groups(const tasks::uts_tree& shape, const tasks::uts_node& node) {
  const std::uint32_t num_children = node.num_children(shape);
  result below;
  if (num_children > 0) {
    std::vector<result> counts(num_children);
    typename Runtime::group children;
    for (std::uint32_t i = 0; i < num_children; ++i) {
      children.run([&shape, &node, &counted = counts[i], i] {
        counted = unfold_groups<Runtime>(shape, node.child(i));
      });
    }
    children.wait();
    for (const result& child : counts) {
      tasks::add_subtree(below, child);
    }
  }
  return tasks::with_node(node, num_children, below);
}

template <groups_runtime Runtime>
result run_groups(const input& of) {
  return unfold_groups<Runtime>(of.shape, tasks::uts_node::root(of.shape));
}

}  // namespace weft::lab::inncabs::uts
