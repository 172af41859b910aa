// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SHA-1 of one block, and the two rules that convert it to a number of children.
#include "lab/tasks/uts_tree.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::lab::tasks {
namespace {

// The reference implementation cuts off beyond this, except at the root of a binomial tree.
constexpr std::uint32_t most_children = 100;

struct round_rule {
  std::uint32_t mixed;
  std::uint32_t constant;
};

round_rule rule_of(std::size_t round, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  switch (round / 20) {
    case 0:
      return {.mixed = (b & c) | (~b & d), .constant = 0x5A827999U};
    case 1:
      return {.mixed = b ^ c ^ d, .constant = 0x6ED9EBA1U};
    case 2:
      return {.mixed = (b & c) | (b & d) | (c & d), .constant = 0x8F1BBCDCU};
    default:
      return {.mixed = b ^ c ^ d, .constant = 0xCA62C1D6U};
  }
}

double probability(const digest& state) {
  constexpr std::uint32_t positive = 0x7FFFFFFFU;
  constexpr double scale = 2147483648.0;
  return static_cast<double>(state[4] & positive) / scale;
}

std::uint32_t geometric_children(const uts_tree& shape, std::uint32_t depth, double chance) {
  if (depth >= shape.depth_limit) {
    return 0;
  }
  const double stop = 1.0 / (1.0 + shape.root_children);
  const double children = std::floor(std::log(1.0 - chance) / std::log(1.0 - stop));
  return std::min(static_cast<std::uint32_t>(children), most_children);
}

std::uint32_t binomial_children(const uts_tree& shape, std::uint32_t depth, double chance) {
  if (depth == 0) {
    return static_cast<std::uint32_t>(shape.root_children);
  }
  return chance < shape.inner_probability ? shape.max_children : 0;
}

}  // namespace

digest sha1(std::span<const std::uint32_t> message) {
  constexpr std::size_t num_rounds = 80;
  constexpr std::uint32_t bits_per_word = 32;
  std::array<std::uint32_t, num_rounds> words{};
  std::ranges::copy(message, words.begin());
  words[message.size()] = 0x80000000U;
  words[15] = static_cast<std::uint32_t>(message.size()) * bits_per_word;
  for (std::size_t i = 16; i < num_rounds; ++i) {
    words[i] = std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
  }
  const digest start{0x67452301U, 0xEFCDAB89U, 0x98BADCFEU, 0x10325476U, 0xC3D2E1F0U};
  auto [a, b, c, d, e] = start;
  for (std::size_t i = 0; i < num_rounds; ++i) {
    const round_rule rule = rule_of(i, b, c, d);
    const std::uint32_t next = std::rotl(a, 5) + rule.mixed + e + rule.constant + words[i];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  return {start[0] + a, start[1] + b, start[2] + c, start[3] + d, start[4] + e};
}

std::span<const uts_tree> uts_trees() {
  using enum uts_tree::shape;
  static constexpr std::array trees{
      uts_tree{.name = "T1",
               .kind = geometric,
               .root_seed = 19,
               .root_children = 4.0,
               .inner_probability = 0.0,
               .max_children = most_children,
               .depth_limit = 10,
               .published = {.nodes = 4130071, .leaves = 3305118, .depth = 10}},
      uts_tree{.name = "T3",
               .kind = binomial,
               .root_seed = 42,
               .root_children = 2000.0,
               .inner_probability = 0.124875,
               .max_children = 8,
               .depth_limit = 0,
               .published = {.nodes = 4112897, .leaves = 3599034, .depth = 1572}}};
  return trees;
}

uts_node uts_node::root(const uts_tree& shape) {
  return {sha1(std::array<std::uint32_t, 5>{0, 0, 0, 0, shape.root_seed}), 0};
}

uts_node uts_node::child(std::uint32_t index) const {
  const auto& [a, b, c, d, e] = state_;
  return {sha1(std::array<std::uint32_t, 6>{a, b, c, d, e, index}), depth_ + 1};
}

std::uint32_t uts_node::num_children(const uts_tree& shape) const {
  const double chance = probability(state_);
  return shape.kind == uts_tree::shape::geometric ? geometric_children(shape, depth_, chance)
                                                  : binomial_children(shape, depth_, chance);
}

tree_counts with_node(const uts_node& node, std::uint32_t num_children, tree_counts below) {
  below.nodes += 1;
  below.leaves += num_children == 0 ? 1 : 0;
  below.depth = std::max<std::uint64_t>(below.depth, node.depth());
  return below;
}

void add_subtree(tree_counts& sum, const tree_counts& sibling) {
  sum.nodes += sibling.nodes;
  sum.leaves += sibling.leaves;
  sum.depth = std::max(sum.depth, sibling.depth);
}

}  // namespace weft::lab::tasks
