// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The serial search, and the check of an answer.
#include "lab/inncabs/qap/qap.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "lab/inncabs/cut_search.hpp"

namespace weft::lab::inncabs::qap {
namespace {

/// Depth first, locations in order.
class serial_search {
 public:
  explicit serial_search(const input& of)
      : of_(of), bound_(worse_than_all(of)), tasks_left_(of.task_limit.value_or(UINT64_MAX)) {}

  result run() {
    extend({});
    result found = make_result(of_, best_, nodes_);
    found.is_complete = !is_cut_;
    return found;
  }

 private:
  void extend(const partial& from) {
    for (std::size_t where = 0; where < of_.size; ++where) {
      if (tasks_left_ == 0) {
        is_cut_ = true;
        return;
      }
      --tasks_left_;
      if (!from.uses(where)) {
        visit(with_next(of_, from, where));
      }
    }
  }

  void visit(const partial& next) {
    ++nodes_;
    if (next.cost >= bound_) {
      return;
    }
    if (next.num_placed < of_.size) {
      extend(next);
      return;
    }
    bound_ = next.cost;
    best_ = next;
  }

  const input& of_;
  std::int64_t bound_;
  std::uint64_t tasks_left_;
  partial best_;
  std::uint64_t nodes_ = 0;
  bool is_cut_ = false;
};

std::int64_t cost_of(const input& of, const std::vector<std::size_t>& location) {
  std::int64_t cost = 0;
  for (std::size_t i = 0; i < of.size; ++i) {
    for (std::size_t j = 0; j < of.size; ++j) {
      cost += of.flow_between(i, j) * of.distance_between(location[i], location[j]);
    }
  }
  return cost;
}

bool is_permutation_of(std::size_t size, const std::vector<std::size_t>& location) {
  std::vector<std::size_t> every(size);
  std::iota(every.begin(), every.end(), std::size_t{0});
  return std::is_permutation(every.begin(), every.end(), location.begin(), location.end());
}

std::string mismatch_of_assignment(const input& of, const result& found) {
  if (!is_permutation_of(of.size, found.location)) {
    return "the assignment does not give each of " + std::to_string(of.size) +
           " facilities a location of its own";
  }
  const std::int64_t cost = cost_of(of, found.location);
  if (cost != found.cost) {
    return "the assignment costs " + std::to_string(cost) + ", claimed are " +
           std::to_string(found.cost);
  }
  return {};
}

std::string mismatch_of_cut_search(const input& of, const result& found) {
  std::string wrong = mismatch_of_cut(of.task_limit, found.nodes);
  return wrong.empty() && !found.location.empty() ? mismatch_of_assignment(of, found) : wrong;
}

}  // namespace

std::int64_t worse_than_all(const input& of) {
  const auto largest = [](const std::vector<std::int32_t>& of_matrix) {
    return std::int64_t{*std::max_element(of_matrix.begin(), of_matrix.end())};
  };
  const auto num_pairs = static_cast<std::int64_t>(of.size * of.size);
  return num_pairs * largest(of.flow) * largest(of.distance) + 1;
}

result make_result(const input& of, const partial& best, std::uint64_t nodes) {
  result made{.cost = worse_than_all(of), .nodes = nodes};
  if (best.num_placed == of.size) {
    made.cost = best.cost;
    made.location.assign(best.location.begin(),
                         best.location.begin() + static_cast<std::ptrdiff_t>(of.size));
  }
  return made;
}

result run_serial(const input& of) { return serial_search(of).run(); }

std::string mismatch(const input& of, const result& found) {
  if (!found.is_complete) {
    return mismatch_of_cut_search(of, found);
  }
  std::string wrong = mismatch_of_assignment(of, found);
  if (!wrong.empty()) {
    return wrong;
  }
  if (found.cost != of.optimum) {
    return "the cost is " + std::to_string(found.cost) + ", expected " + std::to_string(of.optimum);
  }
  if (found.nodes < of.size) {
    return "there are " + std::to_string(found.nodes) +
           " nodes, expected at least one for each of " + std::to_string(of.size) + " facilities";
  }
  return {};
}

}  // namespace weft::lab::inncabs::qap
