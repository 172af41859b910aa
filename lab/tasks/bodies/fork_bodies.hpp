// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fork-join problems, written once for every runtime whose forks are calls.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "lab/stl/backends/merge_path.hpp"
#include "lab/tasks/bodies/busy_work.hpp"
#include "lab/tasks/bodies/enter_once.hpp"
#include "lab/tasks/bodies/integrand.hpp"
#include "lab/tasks/bodies/matmul_tile.hpp"
#include "lab/tasks/bodies/queens_board.hpp"
#include "lab/tasks/bodies/runtime_concepts.hpp"
#include "lab/tasks/bodies/sort_pieces.hpp"
#include "lab/tasks/operations.hpp"
#include "lab/tasks/uts_tree.hpp"

// Every body here is recursive, as the problems are.
namespace weft::lab::tasks::bodies {

/// The results of two forked calls: uses the runtime's own results if it has them.
template <forks Runtime, class First, class Second>
auto both(const First& first, const Second& second) {
  if constexpr (requires { Runtime::both(first, second); }) {
    return Runtime::both(first, second);
  } else {
    std::pair<std::invoke_result_t<const First&>, std::invoke_result_t<const Second&>> results;
    Runtime::fork2([&] { results.first = first(); }, [&] { results.second = second(); });
    return results;
  }
}

/// `call<Runtime, function>(arguments...)` calls the task's function from the body of a forked
/// task. A runtime may define how this call is made.
template <class Runtime, auto function>
auto call(const auto&... arguments) {
  if constexpr (requires { Runtime::template call<function>(arguments...); }) {
    return Runtime::template call<function>(arguments...);
  } else {
    return function(arguments...);
  }
}

/// Returns the sum of `part(i)` over all i below `count`, each a task.
template <forks Runtime, std::size_t count, class Part>
std::uint64_t sum_of(const Part& part) {
  if constexpr (requires { Runtime::template sum_of<count>(part); }) {
    return Runtime::template sum_of<count>(part);
  } else {
    std::array<std::uint64_t, count> parts;
    Runtime::fork_many(count, [&](std::size_t i) { parts[i] = part(i); });
    return std::accumulate(parts.begin(), parts.end(), std::uint64_t{0});
  }
}

/// Runs `body` inside the runtime and returns its result.
template <forks Runtime, class Body>
auto entered(const Body& body) {
  std::invoke_result_t<const Body&> result{};
  Runtime::enter([&] { result = body(); });
  return result;
}

template <forks Runtime>
std::uint64_t fib(std::uint64_t n) {
  if (n < 2) {
    return n;
  }
  const auto [left, right] = both<Runtime>([n] { return call<Runtime, fib<Runtime>>(n - 1); },
                                           [n] { return call<Runtime, fib<Runtime>>(n - 2); });
  return left + right;
}

template <forks Runtime>
std::uint64_t skynet(std::uint64_t first_leaf, std::uint64_t num_leaves) {
  constexpr std::size_t num_children = 10;
  if (num_leaves == 1) {
    return first_leaf;
  }
  const std::uint64_t below = num_leaves / num_children;
  return sum_of<Runtime, num_children>([first_leaf, below](std::size_t i) {
    return call<Runtime, skynet<Runtime>>(first_leaf + i * below, below);
  });
}

template <forks Runtime>
std::uint64_t nqueens(const queens_board& board, std::size_t n) {
  if (board.row == n) {
    return 1;
  }
  const free_columns free = free_columns_of(board, n);
  if (free.count == 0) {
    return 0;
  }
  std::array<std::uint64_t, max_queens> solutions;
  Runtime::fork_many(free.count, [&](std::size_t i) {
    solutions[i] = call<Runtime, nqueens<Runtime>>(board.with(free.columns[i]), n);
  });
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < free.count; ++i) {
    sum += solutions[i];
  }
  return sum;
}

template <forks Runtime>
std::uint64_t grain(std::uint64_t first, std::uint64_t last, std::uint64_t steps) {
  if (last - first == 1) {
    return busy_work(first, steps);
  }
  const std::uint64_t middle = first + (last - first) / 2;
  const auto [left, right] =
      both<Runtime>([=] { return call<Runtime, grain<Runtime>>(first, middle, steps); },
                    [=] { return call<Runtime, grain<Runtime>>(middle, last, steps); });
  return left + right;
}

template <forks Runtime>
double integrate(const trapezoid& whole) {
  const halves parts(whole);
  if (parts.are_close_to(whole)) {
    return parts.area();
  }
  const auto [left, right] =
      both<Runtime>([&] { return call<Runtime, integrate<Runtime>>(parts.left); },
                    [&] { return call<Runtime, integrate<Runtime>>(parts.right); });
  return left + right;
}

template <forks Runtime>
tree_counts uts(const uts_tree& shape, const uts_node& node) {
  const std::uint32_t num_children = node.num_children(shape);
  tree_counts below;
  if (num_children > 0) {
    std::vector<tree_counts> counts(num_children);
    Runtime::fork_many(num_children, [&](std::size_t i) {
      counts[i] = call<Runtime, uts<Runtime>>(shape, node.child(static_cast<std::uint32_t>(i)));
    });
    for (const tree_counts& child : counts) {
      add_subtree(below, child);
    }
  }
  return with_node(node, num_children, below);
}

/// The two halves of the inner sums one after the other, each with its four quarters in parallel.
template <forks Runtime>
void matmul(const block_product& product) {
  if (product.n <= tile_rows) {
    product.multiply_tile();
    return;
  }
  for (std::size_t half = 0; half < 2; ++half) {
    Runtime::fork_many(4,
                       [&](std::size_t quarter) { matmul<Runtime>(product.part(quarter, half)); });
  }
}

/// Writes the output elements [first, last) of the merge.
template <forks Runtime>
void merge(const stl::merge_job<double>& job, std::size_t first, std::size_t last) {
  if (last - first <= merged_alone) {
    job.merge_piece(first, last);
    return;
  }
  const std::size_t middle = first + (last - first) / 2;
  Runtime::fork2([&] { merge<Runtime>(job, first, middle); },
                 [&] { merge<Runtime>(job, middle, last); });
}

/// Merges [from, from + left) and [from + left, from + size) to `out`.
template <forks Runtime>
void merge_neighbours(const double* from, std::size_t left, std::size_t size, double* out) {
  const stl::merge_job<double> job{from, left, from + left, size - left, out};
  merge<Runtime>(job, 0, size);
}

template <forks Runtime>
void sort(double* values, double* scratch, std::size_t size) {
  if (size <= sorted_alone) {
    std::sort(values, values + size);
    return;
  }
  const auto ends = quarter_ends(size);
  Runtime::fork_many(4, [&](std::size_t i) {
    sort<Runtime>(values + ends[i], scratch + ends[i], ends[i + 1] - ends[i]);
  });
  const std::size_t half = ends[2];
  Runtime::fork2([&] { merge_neighbours<Runtime>(values, ends[1], half, scratch); },
                 [&] {
                   merge_neighbours<Runtime>(
                       values + half, ends[3] - half, size - half, scratch + half);
                 });
  merge_neighbours<Runtime>(scratch, half, size, values);
}

template <forks Runtime>
std::uint64_t empty_fork(const request& what) {
  return enter_once<Runtime>(what, [&] {
    std::uint64_t left = 0;
    std::uint64_t right = 0;
    for (std::uint64_t i = 0; i < what.size; ++i) {
      Runtime::fork2([&] { ++left; }, [&] { ++right; });
    }
    return left + right;
  });
}

/// The fork-join rows of a runtime's table.
template <forks Runtime>
void offer_forks(operations& rows) {
  rows.fib = [](const request& what) {
    return entered<Runtime>([&] { return fib<Runtime>(what.size); });
  };
  rows.skynet = [](const request& what) {
    return entered<Runtime>([&] { return skynet<Runtime>(0, what.size); });
  };
  rows.nqueens = [](const request& what) {
    return entered<Runtime>([&] { return nqueens<Runtime>({}, what.size); });
  };
  rows.grain = [](const request& what) {
    return entered<Runtime>([&] { return grain<Runtime>(0, what.size, what.option); });
  };
  rows.integrate = [](double end) {
    return entered<Runtime>([&] { return integrate<Runtime>(trapezoid::below(end)); });
  };
  rows.uts = [](const uts_tree& shape) {
    return entered<Runtime>([&] { return uts<Runtime>(shape, uts_node::root(shape)); });
  };
  rows.matmul = [](const double* a, const double* b, double* c, std::size_t n) {
    std::fill(c, c + n * n, 0.0);
    Runtime::enter([=] { matmul<Runtime>({.a = a, .b = b, .c = c, .n = n, .stride = n}); });
  };
  rows.sort = [](double* first, double* last, double* scratch) {
    Runtime::enter([=] { sort<Runtime>(first, scratch, static_cast<std::size_t>(last - first)); });
  };
  rows.empty_fork = empty_fork<Runtime>;
}

}  // namespace weft::lab::tasks::bodies
