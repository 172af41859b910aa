// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem uts with one future per child.
#pragma once

#include <cstdint>

#include "lab/inncabs/joined_futures.hpp"
#include "lab/inncabs/runtime_concepts.hpp"
#include "lab/inncabs/uts/uts.hpp"
#include "lab/tasks/uts_tree.hpp"

namespace weft::lab::inncabs::uts {

template <futures_runtime Runtime>
result unfold_futures(const tasks::uts_tree& shape,
                      const tasks::uts_node& node,
                      typename Runtime::launch how) {
  const std::uint32_t num_children = node.num_children(shape);
  result below;
  if (num_children > 0) {
    joined_futures<typename Runtime::template future<result>> children(num_children);
    for (std::uint32_t i = 0; i < num_children; ++i) {
      children.add(Runtime::async(how, [&shape, &node, i, how] {
        return unfold_futures<Runtime>(shape, node.child(i), how);
      }));
    }
    for (auto& child : children) {
      tasks::add_subtree(below, child.get());
    }
  }
  return tasks::with_node(node, num_children, below);
}

template <futures_runtime Runtime>
result run_futures(const input& of, typename Runtime::launch how) {
  return unfold_futures<Runtime>(of.shape, tasks::uts_node::root(of.shape), how);
}

}  // namespace weft::lab::inncabs::uts
