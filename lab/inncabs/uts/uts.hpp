// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem uts: the size of an unbalanced tree, known only after its traversal; one task per node.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lab/inncabs/description.hpp"
#include "lab/inncabs/input_class.hpp"
#include "lab/tasks/uts_tree.hpp"

namespace weft::lab::inncabs::uts {

struct input {
  tasks::uts_tree shape;
};

/// Nodes, leaves and depth.
using result = tasks::tree_counts;

inline constexpr description about{
    .name = "uts",
    .computes = "nodes, leaves and depth of a tree whose shape follows from SHA-1",
    .structure = task_structure::recursive_unbalanced,
    .tasks = "one per node of the tree, made by the node's parent",
    .synchronisation = "none but the joins",
    .grain = granularity::very_fine,
    .input = "binomial trees of 2000 subtrees: 10,121 nodes, 4,112,897 (T3) and 30,399,117 nodes",
    .check =
        "T3: equal to the three numbers published; the paper's tree: to the published number "
        "of nodes and what follows from it; all: to a traversal with a stack of its own",
    .source =
        "Olivier et al., \"UTS: An Unbalanced Tree Search Benchmark\", LCPC 2006; the largest "
        "tree and its size as in Inncabs"};

/// Published trees: the same for every seed.
input make_input(input_class which, std::uint64_t seed);

/// Depth first, with an explicit stack.
result run_serial(const input& of);

/// Returns the error in `found`, or an empty text.
std::string mismatch(const input& of, const result& found);

/// Returns the number of nodes.
std::optional<std::uint64_t> num_tasks(const input& of);

/// Empty: no input was scaled down.
std::string scaled(input_class which);

}  // namespace weft::lab::inncabs::uts
