// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unbalanced trees: a hash decides how many children a node has, so no runtime can predict it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace weft::lab::tasks {

/// Nodes, leaves and deepest level of a tree or subtree; the root is at depth 0.
struct tree_counts {
  std::uint64_t nodes = 0;
  std::uint64_t leaves = 0;
  std::uint64_t depth = 0;
  bool operator==(const tree_counts&) const = default;
};

/// A tree of the UTS benchmark, with the counts published for it.
/// Source: Olivier et al., "UTS: An Unbalanced Tree Search Benchmark", LCPC 2006; sample trees of
///         the reference implementation.
struct uts_tree {
  enum class shape : std::uint8_t { geometric, binomial };
  std::string_view name;
  shape kind;
  std::uint32_t root_seed;
  double root_children;        // geometric: the mean number of children of every inner node
  double inner_probability;    // binomial: the probability that a node below the root has children
  std::uint32_t max_children;  // binomial: the number of these children
  std::uint32_t depth_limit;   // geometric: nodes at this depth are leaves
  tree_counts published;
};

/// The trees of the suite, in the order of the parameter `tree`.
std::span<const uts_tree> uts_trees();

using digest = std::array<std::uint32_t, 5>;

/// SHA-1 of at most 13 big-endian words, which with their padding fit one block.
/// Source: FIPS 180-4, section 6.1.
[[nodiscard]] digest sha1(std::span<const std::uint32_t> message);

/// A node: its place in the pseudo-random sequence, and its depth.
class uts_node {
 public:
  uts_node() = default;
  static uts_node root(const uts_tree& shape);

  [[nodiscard]] uts_node child(std::uint32_t index) const;
  [[nodiscard]] std::uint32_t num_children(const uts_tree& shape) const;
  [[nodiscard]] std::uint32_t depth() const noexcept { return depth_; }

 private:
  uts_node(const digest& state, std::uint32_t depth) : state_(state), depth_(depth) {}

  digest state_{};
  std::uint32_t depth_ = 0;
};

/// Returns a node's counts, given the sums of its children in `below`.
tree_counts with_node(const uts_node& node, std::uint32_t num_children, tree_counts below);

/// Adds the counts of a sibling.
void add_subtree(tree_counts& sum, const tree_counts& sibling);

}  // namespace weft::lab::tasks
