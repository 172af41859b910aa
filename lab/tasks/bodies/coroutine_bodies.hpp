// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fork-join problems, written once for every runtime whose tasks are coroutines with results.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <ranges>
#include <tuple>
#include <utility>
#include <vector>

#include "lab/stl/backends/merge_path.hpp"
#include "lab/tasks/bodies/busy_work.hpp"
#include "lab/tasks/bodies/integrand.hpp"
#include "lab/tasks/bodies/matmul_tile.hpp"
#include "lab/tasks/bodies/queens_board.hpp"
#include "lab/tasks/bodies/sort_pieces.hpp"
#include "lab/tasks/operations.hpp"
#include "lab/tasks/uts_tree.hpp"

// Every body here is recursive, as the problems are.
namespace weft::lab::tasks::coroutine_bodies {

// Bodies require of a `Runtime`:
//   `task<T>` is its coroutine type;
//   `co_await fork(tasks...)` gives a tuple of their results;
//   `co_await all(tasks)` gives a vector of their results; it consumes the view `tasks`.
template <class Runtime, class T = void>
using task = typename Runtime::template task<T>;

template <class Runtime>
task<Runtime, std::uint64_t> fib(std::uint64_t n) {
  if (n < 2) {
    co_return n;
  }
  const auto [left, right] = co_await Runtime::fork(fib<Runtime>(n - 1), fib<Runtime>(n - 2));
  co_return left + right;
}

template <class Runtime>
task<Runtime, std::uint64_t> skynet(std::uint64_t first_leaf, std::uint64_t num_leaves);

template <class Runtime, std::size_t... i>
auto fork_skynet(std::uint64_t first_leaf, std::uint64_t below, std::index_sequence<i...>) {
  return Runtime::fork(skynet<Runtime>(first_leaf + i * below, below)...);
}

template <class Runtime>
task<Runtime, std::uint64_t> skynet(std::uint64_t first_leaf, std::uint64_t num_leaves) {
  constexpr std::size_t num_children = 10;
  if (num_leaves == 1) {
    co_return first_leaf;
  }
  const auto sums = co_await fork_skynet<Runtime>(
      first_leaf, num_leaves / num_children, std::make_index_sequence<num_children>());
  co_return std::apply([](auto... parts) { return (parts + ...); }, sums);
}

template <class Runtime>
task<Runtime, std::uint64_t> nqueens(queens_board board, std::size_t n) {
  if (board.row == n) {
    co_return std::uint64_t{1};
  }
  const free_columns free = free_columns_of(board, n);
  const auto place = [&](std::size_t i) {
    return nqueens<Runtime>(board.with(free.columns[i]), n);
  };
  auto boards = std::views::iota(std::size_t{0}, free.count) | std::views::transform(place);
  const std::vector<std::uint64_t> solutions = co_await Runtime::all(boards);
  co_return std::accumulate(solutions.begin(), solutions.end(), std::uint64_t{0});
}

template <class Runtime>
task<Runtime, std::uint64_t> grain(std::uint64_t first, std::uint64_t last, std::uint64_t steps) {
  if (last - first == 1) {
    co_return busy_work(first, steps);
  }
  const std::uint64_t middle = first + (last - first) / 2;
  const auto [left, right] = co_await Runtime::fork(grain<Runtime>(first, middle, steps),
                                                    grain<Runtime>(middle, last, steps));
  co_return left + right;
}

template <class Runtime>
task<Runtime, double> integrate(trapezoid whole) {
  const halves parts(whole);
  if (parts.are_close_to(whole)) {
    co_return parts.area();
  }
  const auto [left, right] =
      co_await Runtime::fork(integrate<Runtime>(parts.left), integrate<Runtime>(parts.right));
  co_return left + right;
}

template <class Runtime>
task<Runtime, tree_counts> uts(const uts_tree* shape, uts_node node) {
  const std::uint32_t num_children = node.num_children(*shape);
  tree_counts below;
  if (num_children > 0) {
    const auto child = [&](std::uint32_t i) { return uts<Runtime>(shape, node.child(i)); };
    auto children = std::views::iota(std::uint32_t{0}, num_children) | std::views::transform(child);
    const std::vector<tree_counts> counts = co_await Runtime::all(children);
    for (const tree_counts& each : counts) {
      add_subtree(below, each);
    }
  }
  co_return with_node(node, num_children, below);
}

template <class Runtime>
task<Runtime> matmul(block_product product) {
  if (product.n <= tile_rows) {
    product.multiply_tile();
    co_return;
  }
  for (std::size_t half = 0; half < 2; ++half) {
    co_await Runtime::fork(matmul<Runtime>(product.part(0, half)),
                           matmul<Runtime>(product.part(1, half)),
                           matmul<Runtime>(product.part(2, half)),
                           matmul<Runtime>(product.part(3, half)));
  }
}

using job = stl::merge_job<double>;

/// Writes the output elements [first, last) of the merge.
template <class Runtime>
task<Runtime> merge(job what, std::size_t first, std::size_t last) {
  if (last - first <= merged_alone) {
    what.merge_piece(first, last);
    co_return;
  }
  const std::size_t middle = first + (last - first) / 2;
  co_await Runtime::fork(merge<Runtime>(what, first, middle), merge<Runtime>(what, middle, last));
}

template <class Runtime>
task<Runtime> sort(double* values, double* scratch, std::size_t size) {
  if (size <= sorted_alone) {
    std::sort(values, values + size);
    co_return;
  }
  const auto ends = quarter_ends(size);
  const auto quarter = [&](std::size_t i) {
    return sort<Runtime>(values + ends[i], scratch + ends[i], ends[i + 1] - ends[i]);
  };
  co_await Runtime::fork(quarter(0), quarter(1), quarter(2), quarter(3));
  const std::size_t half = ends[2];
  const job left{values, ends[1], values + ends[1], half - ends[1], scratch};
  const job right{values + half, ends[3] - half, values + ends[3], size - ends[3], scratch + half};
  co_await Runtime::fork(merge<Runtime>(left, 0U, left.size()),
                         merge<Runtime>(right, 0U, right.size()));
  co_await merge<Runtime>({scratch, half, scratch + half, size - half, values}, 0U, size);
}

template <class Runtime>
task<Runtime> count(std::uint64_t* calls) {
  ++*calls;
  co_return;
}

template <class Runtime>
task<Runtime, std::uint64_t> empty_fork(std::uint64_t size) {
  std::uint64_t left = 0;
  std::uint64_t right = 0;
  for (std::uint64_t i = 0; i < size; ++i) {
    co_await Runtime::fork(count<Runtime>(&left), count<Runtime>(&right));
  }
  co_return left + right;
}

template <class Runtime>
task<Runtime> wait_for_other(std::atomic<int>* begun) {
  // release and acquire: each task sees the other's writes from before it began.
  begun->fetch_add(1, std::memory_order_acq_rel);
  while (begun->load(std::memory_order_acquire) < 2) {
  }
  co_return;
}

template <class Runtime>
task<Runtime, std::uint64_t> wake(std::uint64_t size) {
  std::uint64_t starts = 0;
  for (std::uint64_t i = 0; i < size; ++i) {
    std::atomic<int> begun = 0;
    co_await Runtime::fork(wait_for_other<Runtime>(&begun), wait_for_other<Runtime>(&begun));
    starts += static_cast<std::uint64_t>(begun.load(std::memory_order_relaxed));
  }
  co_return starts;
}

/// The rows of such a runtime's table; `Runtime::result_of(task)` runs the task to its end.
template <class Runtime>
void offer_coroutines(operations& rows) {
  rows.fib = [](const request& what) { return Runtime::result_of(fib<Runtime>(what.size)); };
  rows.skynet = [](const request& what) {
    return Runtime::result_of(skynet<Runtime>(0, what.size));
  };
  rows.nqueens = [](const request& what) {
    return Runtime::result_of(nqueens<Runtime>({}, what.size));
  };
  rows.grain = [](const request& what) {
    return Runtime::result_of(grain<Runtime>(0, what.size, what.option));
  };
  rows.integrate = [](double end) {
    return Runtime::result_of(integrate<Runtime>(trapezoid::below(end)));
  };
  rows.uts = [](const uts_tree& shape) {
    return Runtime::result_of(uts<Runtime>(&shape, uts_node::root(shape)));
  };
  rows.matmul = [](const double* a, const double* b, double* c, std::size_t n) {
    std::fill(c, c + n * n, 0.0);
    Runtime::result_of(matmul<Runtime>({.a = a, .b = b, .c = c, .n = n, .stride = n}));
  };
  rows.sort = [](double* first, double* last, double* scratch) {
    Runtime::result_of(sort<Runtime>(first, scratch, static_cast<std::size_t>(last - first)));
  };
  rows.empty_fork = [](const request& what) {
    return Runtime::result_of(empty_fork<Runtime>(what.size * what.calls));
  };
  rows.fork_from_main = [](const request& what) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < what.size; ++i) {
      sum += Runtime::result_of(empty_fork<Runtime>(1));
    }
    return sum;
  };
  rows.wake = [](const request& what) {
    return Runtime::result_of(wake<Runtime>(what.size * what.calls));
  };
}

}  // namespace weft::lab::tasks::coroutine_bodies
