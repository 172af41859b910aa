// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The problems as weft's coroutines: forks are awaited, so no body can be shared with others.
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

#include "weft/tasks/async.hpp"
#include "weft/tasks/coroutine_fork.hpp"
#include "weft/tasks/task.hpp"

#include "lab/stl/backends/merge_path.hpp"
#include "lab/tasks/bodies/busy_work.hpp"
#include "lab/tasks/bodies/integrand.hpp"
#include "lab/tasks/bodies/matmul_tile.hpp"
#include "lab/tasks/bodies/queens_board.hpp"
#include "lab/tasks/bodies/sort_pieces.hpp"
#include "lab/tasks/uts_tree.hpp"

// Every body here is recursive: that is what it measures.
// NOLINTBEGIN(misc-no-recursion)
namespace weft::lab::tasks::coroutine_bodies {

inline weft::task<std::uint64_t> fib(std::uint64_t n) {
  if (n < 2) {
    co_return n;
  }
  const auto [left, right] = co_await weft::fork(fib(n - 1), fib(n - 2));
  co_return left + right;
}

weft::task<std::uint64_t> skynet(std::uint64_t first_leaf, std::uint64_t num_leaves);

template <std::size_t... i>
auto fork_skynet(std::uint64_t first_leaf, std::uint64_t below, std::index_sequence<i...>) {
  return weft::fork(skynet(first_leaf + i * below, below)...);
}

inline weft::task<std::uint64_t> skynet(std::uint64_t first_leaf, std::uint64_t num_leaves) {
  constexpr std::size_t num_children = 10;
  if (num_leaves == 1) {
    co_return first_leaf;
  }
  const auto sums = co_await fork_skynet(
      first_leaf, num_leaves / num_children, std::make_index_sequence<num_children>());
  co_return std::apply([](auto... parts) { return (parts + ...); }, sums);
}

inline weft::task<std::uint64_t> nqueens(queens_board board, std::size_t n) {
  if (board.row == n) {
    co_return std::uint64_t{1};
  }
  const free_columns free = free_columns_of(board, n);
  const auto place = [&](std::size_t i) { return nqueens(board.with(free.columns[i]), n); };
  auto boards = std::views::iota(std::size_t{0}, free.count) | std::views::transform(place);
  const std::vector<std::uint64_t> solutions = co_await weft::when_all(std::move(boards));
  co_return std::accumulate(solutions.begin(), solutions.end(), std::uint64_t{0});
}

inline weft::task<std::uint64_t> grain(std::uint64_t first,
                                       std::uint64_t last,
                                       std::uint64_t steps) {
  if (last - first == 1) {
    co_return busy_work(first, steps);
  }
  const std::uint64_t middle = first + (last - first) / 2;
  const auto [left, right] =
      co_await weft::fork(grain(first, middle, steps), grain(middle, last, steps));
  co_return left + right;
}

inline weft::task<double> integrate(trapezoid whole) {
  const halves parts(whole);
  if (parts.are_close_to(whole)) {
    co_return parts.area();
  }
  const auto [left, right] = co_await weft::fork(integrate(parts.left), integrate(parts.right));
  co_return left + right;
}

inline weft::task<tree_counts> uts(const uts_tree* shape, uts_node node) {
  const std::uint32_t num_children = node.num_children(*shape);
  tree_counts below;
  if (num_children > 0) {
    const auto child = [&](std::uint32_t i) { return uts(shape, node.child(i)); };
    auto children = std::views::iota(std::uint32_t{0}, num_children) | std::views::transform(child);
    const std::vector<tree_counts> counts = co_await weft::when_all(std::move(children));
    for (const tree_counts& each : counts) {
      add_subtree(below, each);
    }
  }
  co_return with_node(node, num_children, below);
}

inline weft::task<> matmul(block_product product) {
  if (product.n <= tile_rows) {
    product.multiply_tile();
    co_return;
  }
  for (std::size_t half = 0; half < 2; ++half) {
    co_await weft::fork(matmul(product.part(0, half)),
                        matmul(product.part(1, half)),
                        matmul(product.part(2, half)),
                        matmul(product.part(3, half)));
  }
}

using job = stl::merge_job<double>;

/// Writes the output elements [first, last) of the merge.
inline weft::task<> merge(job what, std::size_t first, std::size_t last) {
  if (last - first <= merged_alone) {
    what.merge_piece(first, last);
    co_return;
  }
  const std::size_t middle = first + (last - first) / 2;
  co_await weft::fork(merge(what, first, middle), merge(what, middle, last));
}

inline weft::task<> sort(double* values, double* scratch, std::size_t size) {
  if (size <= sorted_alone) {
    std::sort(values, values + size);
    co_return;
  }
  const auto ends = quarter_ends(size);
  const auto quarter = [&](std::size_t i) {
    return sort(values + ends[i], scratch + ends[i], ends[i + 1] - ends[i]);
  };
  co_await weft::fork(quarter(0), quarter(1), quarter(2), quarter(3));
  const std::size_t half = ends[2];
  const job left{values, ends[1], values + ends[1], half - ends[1], scratch};
  const job right{values + half, ends[3] - half, values + ends[3], size - ends[3], scratch + half};
  co_await weft::fork(merge(left, 0U, left.size()), merge(right, 0U, right.size()));
  co_await merge({scratch, half, scratch + half, size - half, values}, 0U, size);
}

inline weft::task<> count(std::uint64_t* calls) {
  ++*calls;
  co_return;
}

inline weft::task<std::uint64_t> empty_fork(std::uint64_t size) {
  std::uint64_t left = 0;
  std::uint64_t right = 0;
  for (std::uint64_t i = 0; i < size; ++i) {
    co_await weft::fork(count(&left), count(&right));
  }
  co_return left + right;
}

inline weft::task<std::uint64_t> async_get(std::uint64_t size) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < size; ++i) {
    sum += co_await weft::async([i] { return i; });
  }
  co_return sum;
}

inline weft::task<> wait_for_other(std::atomic<int>* begun) {
  // release and acquire: what one did before it began, the other may read.
  begun->fetch_add(1, std::memory_order_acq_rel);
  while (begun->load(std::memory_order_acquire) < 2) {
  }
  co_return;
}

inline weft::task<std::uint64_t> wake(std::uint64_t size) {
  std::uint64_t starts = 0;
  for (std::uint64_t i = 0; i < size; ++i) {
    std::atomic<int> begun = 0;
    co_await weft::fork(wait_for_other(&begun), wait_for_other(&begun));
    starts += static_cast<std::uint64_t>(begun.load(std::memory_order_relaxed));
  }
  co_return starts;
}

}  // namespace weft::lab::tasks::coroutine_bodies
// NOLINTEND(misc-no-recursion)
