// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem uts: the size of an unbalanced tree, known only after its traversal; one task per node.
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "lab/harness/experiment.hpp"
#include "lab/harness/keep.hpp"
#include "lab/harness/parameters.hpp"
#include "lab/tasks/operations.hpp"
#include "lab/tasks/problem.hpp"
#include "lab/tasks/uts_tree.hpp"

namespace weft::lab::tasks {
namespace uts_problem {

// 1: T1, geometric, 4.1 million nodes, depth 10; 3: T3, binomial, 4.1 million nodes, depth 1572.
constexpr std::array<parameter, 1> uts_parameters{
    {{.name = "tree", .minimum = 1, .maximum = 3, .default_value = 1}}};

const uts_tree& tree_of(const request& what) { return uts_trees()[what.option == 3 ? 1 : 0]; }

std::string text_of(const tree_counts& counts) {
  return std::to_string(counts.nodes) + " nodes, " + std::to_string(counts.leaves) +
         " leaves and depth " + std::to_string(counts.depth);
}

class uts_experiment final : public task_experiment {
 public:
  uts_experiment(const uts_tree& shape, tree_counts (*count)(const uts_tree&))
      : task_experiment(shape.published.nodes), shape_(shape), count_(count) {}

  verdict verify() override {
    const tree_counts found = count_(shape_);
    if (found == shape_.published) {
      return {};
    }
    return {"the tree has " + text_of(found) + ", published are " + text_of(shape_.published)};
  }

  void run(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      keep(count_(shape_));
    }
  }

 private:
  const uts_tree& shape_;
  tree_counts (*count_)(const uts_tree&);
};

class uts_problem final : public problem {
 public:
  using problem::problem;

  [[nodiscard]] std::size_t memory_bytes(const cell& /*what*/) const override { return 0; }

 protected:
  [[nodiscard]] bool is_offered(const operations& by) const override { return by.uts != nullptr; }
  [[nodiscard]] std::uint64_t num_tasks(const request& what) const override {
    return tree_of(what).published.nodes;
  }
  [[nodiscard]] std::unique_ptr<experiment> start(const request& what,
                                                  const cell& /*from*/,
                                                  const operations& by) const override {
    return std::make_unique<uts_experiment>(tree_of(what), by.uts);
  }
};

bool takes(std::uint64_t size) { return size == 1; }

const uts_problem uts({.name = "uts",
                       .sizes = "size 1; the parameter tree chooses 1 (T1) or 3 (T3)",
                       .takes_size = takes,
                       .parameters = uts_parameters});
const registration in_table(uts);

}  // namespace uts_problem
}  // namespace weft::lab::tasks
