// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tasks of a simulated program.
#pragma once

#include <cstdint>

#include "lab/scaling/simulated/model_options.hpp"
#include "lab/tasks/uts_tree.hpp"

namespace weft::lab::scaling::simulated {

/// A call of the program: a node of a tree, or a share of a loop.
struct node {
  std::uint32_t num_leaves = 0;  // of a balanced tree: below this node
  lab::tasks::uts_node uts;
};

/// The calls of a program.
class workload {
 public:
  explicit workload(const workload_options& options, unsigned num_workers);

  [[nodiscard]] node root() const;
  [[nodiscard]] node child(const node& parent, std::uint32_t index) const;
  [[nodiscard]] std::uint32_t num_children(const node& of) const;
  /// The work of the call itself, before its children.
  [[nodiscard]] nanoseconds body(const node& of) const;
  /// True if a call starts its children one by one instead of half by half.
  [[nodiscard]] bool is_flat() const { return options_.kind >= workload_kind::loop; }
  [[nodiscard]] bool is_loop() const { return options_.kind == workload_kind::loop; }
  [[nodiscard]] bool ends_when_spread() const { return options_.kind == workload_kind::spread; }
  [[nodiscard]] nanoseconds chunk() const { return options_.body; }

  /// Takes a chunk of the loop. False: none is left.
  bool claim_chunk() {
    const bool is_left = num_chunks_ != 0;
    num_chunks_ -= is_left ? 1 : 0;
    return is_left;
  }

 private:
  workload_options options_;
  unsigned num_workers_;
  std::uint32_t num_chunks_;
  lab::tasks::uts_tree tree_;
};

}  // namespace weft::lab::scaling::simulated
