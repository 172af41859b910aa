// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Balanced trees, UTS trees, and loops whose shares are the children of the root.
#include "lab/scaling/simulated/workload.hpp"

#include <chrono>
#include <cstdint>

#include "lab/scaling/simulated/model_options.hpp"
#include "lab/tasks/uts_tree.hpp"

namespace weft::lab::scaling::simulated {
namespace {

// Longer than any simulated wake-up of a machine.
constexpr nanoseconds until_all_have_work = std::chrono::seconds(1);

}  // namespace

workload::workload(const workload_options& options, unsigned num_workers)
    : options_(options),
      num_workers_(num_workers),
      num_chunks_(options.kind == workload_kind::loop ? options.size : 0),
      tree_(lab::tasks::uts_trees().front()) {
  tree_.depth_limit = options.size;
}

node workload::root() const {
  const bool is_flat_root = is_flat();
  return {.num_leaves = is_flat_root ? num_workers_ : options_.size,
          .uts = lab::tasks::uts_node::root(tree_)};
}

node workload::child(const node& parent, std::uint32_t index) const {
  if (options_.kind == workload_kind::uts) {
    return {.num_leaves = 0, .uts = parent.uts.child(index)};
  }
  if (is_flat()) {
    return {.num_leaves = 1, .uts = {}};
  }
  const std::uint32_t half = parent.num_leaves / 2;
  return {.num_leaves = index == 0 ? half : parent.num_leaves - half, .uts = {}};
}

std::uint32_t workload::num_children(const node& of) const {
  if (options_.kind == workload_kind::uts) {
    return of.uts.num_children(tree_);
  }
  if (of.num_leaves < 2) {
    return 0;
  }
  return is_flat() ? of.num_leaves : 2;
}

nanoseconds workload::body(const node& of) const {
  switch (options_.kind) {
    case workload_kind::tree:
      return of.num_leaves == 1 ? options_.body : nanoseconds(0);
    case workload_kind::uts:
      return options_.body;
    case workload_kind::loop:
      return nanoseconds(0);
    case workload_kind::spread:
      break;
  }
  return of.num_leaves == 1 ? until_all_have_work : nanoseconds(0);
}

}  // namespace weft::lab::scaling::simulated
