// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An unbalanced tree that grows on rank 0. Ranks without nodes ask others for half of theirs.
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "weft/distributed.hpp"
#include "weft/tasks/mutex.hpp"
#include "weft/tasks/this_task.hpp"

#include "lab/distributed/cells.hpp"
#include "lab/mpi/world.hpp"
#include "lab/tasks/uts_tree.hpp"

template <>
inline constexpr bool weft::distributed::is_bitwise_serializable<weft::lab::tasks::uts_node> = true;

namespace weft::lab::calls {
namespace {

namespace wd = weft::distributed;
using tasks::add_subtree;
using tasks::tree_counts;
using tasks::uts_node;
using tasks::uts_tree;

// Between two looks at the requests of other ranks.
constexpr std::size_t nodes_per_turn = 64;

/// T1 with one level less: a quarter of its nodes.
const uts_tree& shape() {
  static const uts_tree smaller = [] {
    uts_tree found = tasks::uts_trees().front();
    --found.depth_limit;
    return found;
  }();
  return smaller;
}

/// Visits up to `most` nodes of a stack, and puts their children there.
void visit(std::vector<uts_node>& stack, tree_counts& counts, std::size_t most) {
  for (std::size_t n = 0; n < most && !stack.empty(); ++n) {
    const uts_node node = stack.back();
    stack.pop_back();
    const std::uint32_t num_children = node.num_children(shape());
    for (std::uint32_t child = 0; child < num_children; ++child) {
      stack.push_back(node.child(child));
    }
    add_subtree(counts, with_node(node, num_children, {}));
  }
}

tree_counts counted_alone() {
  std::vector<uts_node> stack{uts_node::root(shape())};
  tree_counts counts;
  visit(stack, counts, SIZE_MAX);
  return counts;
}

/// One rank's part of the search. A rank without nodes asks the ranks whose numbers differ from its
/// own in one bit, and waits: each of them remembers the request until it can share its nodes.
/// Source: Saraswat et al., "Lifeline-based Global Load Balancing", PPoPP 2011.
class searcher {
 public:
  /// Collective.
  void join(const wd::local_of<searcher>& all) {
    all_ = &all;
    wd::barrier().get();
  }

  /// Takes nodes of another rank, and searches unless another call does.
  void take(std::vector<uts_node> nodes) {
    std::unique_lock lock(mutex_);
    stack_.insert(stack_.end(), nodes.begin(), nodes.end());
    if (std::exchange(is_searching_, true)) {
      return;
    }
    while (!stack_.empty()) {
      visit(stack_, counts_, nodes_per_turn);
      share();
      lock.unlock();
      this_task::yield();  // calls of other ranks run
      lock.lock();
    }
    is_searching_ = false;
    ask();
  }

  /// Another rank has no nodes.
  void ask_for(int rank) {
    const std::lock_guard guard(mutex_);
    waiting_.insert(rank);
  }

  /// Threads: not while a search runs.
  [[nodiscard]] tree_counts counts() const noexcept { return counts_; }

  /// Tells the neighbours that this rank has no nodes.
  void ask() const {
    const int mine = wd::here().rank();
    for (int bit = 1; bit < wd::num_localities(); bit *= 2) {
      if ((mine ^ bit) < wd::num_localities()) {
        (*all_)[mine ^ bit].post<&searcher::ask_for>(mine);
      }
    }
  }

 private:
  /// Gives a rank that waits the older half of the nodes, whose subtrees are larger.
  void share() {
    while (!waiting_.empty() && stack_.size() > 1) {
      const auto middle = stack_.begin() + static_cast<std::ptrdiff_t>(stack_.size() / 2);
      const int thief = waiting_.extract(waiting_.begin()).value();
      (*all_)[thief].post<&searcher::take>(std::vector<uts_node>(stack_.begin(), middle));
      stack_.erase(stack_.begin(), middle);
    }
  }

  const wd::local_of<searcher>* all_ = nullptr;
  weft::mutex mutex_;
  std::vector<uts_node> stack_;
  std::set<int> waiting_;  // ranks without nodes
  tree_counts counts_;
  bool is_searching_ = false;
};

/// The counts of the tree, which each rank finds alone once.
const tree_counts& expected() {
  static const tree_counts found = counted_alone();
  return found;
}

outcome search_alone(const setting& with) {
  tree_counts found;
  with.ranks.barrier();
  const double call_s = seconds_per_call(expected().nodes, [&] { found = counted_alone(); });
  return {.is_right = found == expected(), .readings = {{"call_s", call_s}}};
}

outcome search_together(const setting& with) {
  const std::uint64_t expected_nodes = expected().nodes;
  const wd::local_of<searcher> all;
  all->join(all);
  const double call_s = seconds_per_call(expected_nodes, [&] {
    if (with.ranks.is_root()) {
      all[0].post<&searcher::take>(std::vector{uts_node::root(shape())});
    } else {
      all->ask();
    }
    wd::quiescence().get();
  });
  const tree_counts mine = all->counts();
  const bool is_right = wd::all_reduce(mine.nodes, wd::reduction::sum).get() == expected_nodes &&
                        wd::all_reduce(mine.leaves, wd::reduction::sum).get() == expected().leaves;
  return {.is_right = is_right, .readings = {{"call_s", call_s}}};
}

}  // namespace

std::vector<cell> uts_cells(const setting& with) {
  const auto together = [&with](std::size_t /*calls*/) { return search_together(with); };
  return {{.name = "uts",
           .params = {{"nodes", expected().nodes}},
           .contestants = {{"alone",
                            false,
                            [&with](std::size_t /*calls*/) { return search_alone(with); }},
                           {"weft_task", true, in_task(together)}},
           .fixed_calls = 1}};
}

}  // namespace weft::lab::calls
