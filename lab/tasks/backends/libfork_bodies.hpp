// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The problems as libfork's coroutines: forks are awaited, so no body is shared with other
// runtimes.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <libfork.hpp>

#include "lab/stl/backends/merge_path.hpp"
#include "lab/tasks/bodies/busy_work.hpp"
#include "lab/tasks/bodies/integrand.hpp"
#include "lab/tasks/bodies/matmul_tile.hpp"
#include "lab/tasks/bodies/queens_board.hpp"
#include "lab/tasks/bodies/sort_pieces.hpp"
#include "lab/tasks/uts_tree.hpp"

namespace weft::lab::tasks::libfork_bodies {

inline constexpr auto fib = [](auto self, std::uint64_t n) -> lf::task<std::uint64_t> {
  if (n < 2) {
    co_return n;
  }
  std::uint64_t left = 0;
  std::uint64_t right = 0;
  co_await lf::fork(&left, self)(n - 1);
  co_await lf::call(&right, self)(n - 2);
  co_await lf::join;
  co_return left + right;
};

inline constexpr auto skynet =
    [](auto self, std::uint64_t first_leaf, std::uint64_t num_leaves) -> lf::task<std::uint64_t> {
  constexpr std::size_t num_children = 10;
  if (num_leaves == 1) {
    co_return first_leaf;
  }
  std::array<std::uint64_t, num_children> sums;
  const std::uint64_t below = num_leaves / num_children;
  for (std::size_t i = 0; i + 1 < num_children; ++i) {
    co_await lf::fork(&sums[i], self)(first_leaf + i * below, below);
  }
  co_await lf::call(&sums.back(), self)(first_leaf + (num_children - 1) * below, below);
  co_await lf::join;
  std::uint64_t sum = 0;
  for (const std::uint64_t part : sums) {
    sum += part;
  }
  co_return sum;
};

inline constexpr auto nqueens =
    [](auto self, queens_board board, std::size_t n) -> lf::task<std::uint64_t> {
  if (board.row == n) {
    co_return 1;
  }
  const free_columns free = free_columns_of(board, n);
  std::array<std::uint64_t, max_queens> solutions;
  for (std::size_t i = 0; i < free.count; ++i) {
    const queens_board next = board.with(free.columns[i]);
    if (i + 1 < free.count) {
      co_await lf::fork(&solutions[i], self)(next, n);
    } else {
      co_await lf::call(&solutions[i], self)(next, n);
    }
  }
  co_await lf::join;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < free.count; ++i) {
    sum += solutions[i];
  }
  co_return sum;
};

inline constexpr auto grain = [](auto self,
                                 std::uint64_t first,
                                 std::uint64_t last,
                                 std::uint64_t steps) -> lf::task<std::uint64_t> {
  if (last - first == 1) {
    co_return busy_work(first, steps);
  }
  std::uint64_t left = 0;
  std::uint64_t right = 0;
  const std::uint64_t middle = first + (last - first) / 2;
  co_await lf::fork(&left, self)(first, middle, steps);
  co_await lf::call(&right, self)(middle, last, steps);
  co_await lf::join;
  co_return left + right;
};

inline constexpr auto integrate = [](auto self, trapezoid whole) -> lf::task<double> {
  const halves parts(whole);
  if (parts.are_close_to(whole)) {
    co_return parts.area();
  }
  double left = 0;
  double right = 0;
  co_await lf::fork(&left, self)(parts.left);
  co_await lf::call(&right, self)(parts.right);
  co_await lf::join;
  co_return left + right;
};

inline constexpr auto uts =
    [](auto self, const uts_tree* shape, uts_node node) -> lf::task<tree_counts> {
  const std::uint32_t num_children = node.num_children(*shape);
  tree_counts below;
  if (num_children > 0) {
    std::vector<tree_counts> counts(num_children);
    for (std::uint32_t i = 0; i + 1 < num_children; ++i) {
      co_await lf::fork(&counts[i], self)(shape, node.child(i));
    }
    co_await lf::call(&counts.back(), self)(shape, node.child(num_children - 1));
    co_await lf::join;
    for (const tree_counts& child : counts) {
      add_subtree(below, child);
    }
  }
  co_return with_node(node, num_children, below);
};

inline constexpr auto matmul = [](auto self, block_product product) -> lf::task<> {
  if (product.n <= tile_rows) {
    product.multiply_tile();
    co_return;
  }
  for (std::size_t half = 0; half < 2; ++half) {
    for (std::size_t quarter = 0; quarter < 3; ++quarter) {
      co_await lf::fork(self)(product.part(quarter, half));
    }
    co_await lf::call(self)(product.part(3, half));
    co_await lf::join;
  }
};

using job = stl::merge_job<double>;

/// Writes the output elements [first, last) of the merge.
inline constexpr auto merge =
    [](auto self, job what, std::size_t first, std::size_t last) -> lf::task<> {
  if (last - first <= merged_alone) {
    what.merge_piece(first, last);
    co_return;
  }
  const std::size_t middle = first + (last - first) / 2;
  co_await lf::fork(self)(what, first, middle);
  co_await lf::call(self)(what, middle, last);
  co_await lf::join;
};

inline constexpr auto sort =
    [](auto self, double* values, double* scratch, std::size_t size) -> lf::task<> {
  if (size <= sorted_alone) {
    std::sort(values, values + size);
    co_return;
  }
  const auto ends = quarter_ends(size);
  for (std::size_t i = 0; i < 3; ++i) {
    co_await lf::fork(self)(values + ends[i], scratch + ends[i], ends[i + 1] - ends[i]);
  }
  co_await lf::call(self)(values + ends[3], scratch + ends[3], ends[4] - ends[3]);
  co_await lf::join;
  const std::size_t half = ends[2];
  const job left{values, ends[1], values + ends[1], half - ends[1], scratch};
  const job right{values + half, ends[3] - half, values + ends[3], size - ends[3], scratch + half};
  co_await lf::fork(merge)(left, 0U, left.size());
  co_await lf::call(merge)(right, 0U, right.size());
  co_await lf::join;
  const job both{scratch, half, scratch + half, size - half, values};
  co_await lf::call(merge)(both, 0U, size);
  co_await lf::join;
};

inline constexpr auto count = [](auto /*self*/, std::uint64_t* calls) -> lf::task<> {
  ++*calls;
  co_return;
};

inline constexpr auto empty_fork = [](auto /*self*/,
                                      std::uint64_t size) -> lf::task<std::uint64_t> {
  std::uint64_t left = 0;
  std::uint64_t right = 0;
  for (std::uint64_t i = 0; i < size; ++i) {
    co_await lf::fork(count)(&left);
    co_await lf::call(count)(&right);
    co_await lf::join;
  }
  co_return left + right;
};

inline constexpr auto wait_for_other = [](auto /*self*/, std::atomic<int>* begun) -> lf::task<> {
  // release and acquire: each task sees the other's writes from before it began.
  begun->fetch_add(1, std::memory_order_acq_rel);
  while (begun->load(std::memory_order_acquire) < 2) {
  }
  co_return;
};

inline constexpr auto wake = [](auto /*self*/, std::uint64_t size) -> lf::task<std::uint64_t> {
  std::uint64_t starts = 0;
  for (std::uint64_t i = 0; i < size; ++i) {
    std::atomic<int> begun = 0;
    co_await lf::fork(wait_for_other)(&begun);
    co_await lf::call(wait_for_other)(&begun);
    co_await lf::join;
    starts += static_cast<std::uint64_t>(begun.load(std::memory_order_relaxed));
  }
  co_return starts;
};

}  // namespace weft::lab::tasks::libfork_bodies
