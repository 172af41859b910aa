// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The trees of problem uts, with their sizes, and their traversal without tasks.
#include "lab/inncabs/uts/uts.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/inncabs/input_class.hpp"
#include "lab/tasks/uts_tree.hpp"

namespace weft::lab::inncabs::uts {
namespace {

constexpr tasks::uts_tree binomial_tree{.name = "",
                                        .kind = tasks::uts_tree::shape::binomial,
                                        .root_seed = 0,
                                        .root_children = 2000.0,
                                        .inner_probability = 0.0,
                                        .max_children = 0,
                                        .depth_limit = 0,
                                        .published = {}};

// Its counts are those of the traversal.
tasks::uts_tree tiny_tree() {
  tasks::uts_tree tree = binomial_tree;
  tree.name = "tiny";
  tree.root_seed = 42;
  tree.inner_probability = 0.2;
  tree.max_children = 4;
  tree.published = {.nodes = 10'121, .leaves = 8090, .depth = 23};
  return tree;
}

tasks::uts_tree tree_of_paper() {
  tasks::uts_tree tree = binomial_tree;
  tree.name = "paper";
  tree.root_seed = 8;
  tree.inner_probability = 0.333332;
  tree.max_children = 3;
  // The number of nodes is published; the leaves follow from it; the depth comes from the
  // traversal.
  tree.published = {.nodes = 30'399'117, .leaves = 20'266'744, .depth = 6974};
  return tree;
}

std::string text_of(const result& counts) {
  return std::to_string(counts.nodes) + " nodes, " + std::to_string(counts.leaves) +
         " leaves and depth " + std::to_string(counts.depth);
}

}  // namespace

input make_input(input_class which, std::uint64_t /*seed*/) {
  switch (which) {
    case input_class::tiny:
      return {tiny_tree()};
    case input_class::small:
      return {tasks::uts_trees()[1]};
    case input_class::paper:
      break;
  }
  return {tree_of_paper()};
}

result run_serial(const input& of) {
  result counts;
  std::vector<tasks::uts_node> unvisited{tasks::uts_node::root(of.shape)};
  while (!unvisited.empty()) {
    const tasks::uts_node node = unvisited.back();
    unvisited.pop_back();
    const std::uint32_t num_children = node.num_children(of.shape);
    counts = tasks::with_node(node, num_children, counts);
    for (std::uint32_t i = 0; i < num_children; ++i) {
      unvisited.push_back(node.child(i));
    }
  }
  return counts;
}

std::string mismatch(const input& of, const result& found) {
  if (found == of.shape.published) {
    return {};
  }
  return "the tree has " + text_of(found) + ", expected are " + text_of(of.shape.published);
}

std::optional<std::uint64_t> num_tasks(const input& of) { return of.shape.published.nodes; }

std::string scaled(input_class /*which*/) { return {}; }

}  // namespace weft::lab::inncabs::uts
