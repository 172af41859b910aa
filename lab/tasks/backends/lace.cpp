// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runtime lace: tasks are macros of a C library, so no body is shared with other runtimes.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "lab/stl/backends/merge_path.hpp"
#include "lab/stl/backends/versions.hpp"
#include "lab/tasks/backend.hpp"
#include "lab/tasks/bodies/busy_work.hpp"
#include "lab/tasks/bodies/integrand.hpp"
#include "lab/tasks/bodies/matmul_tile.hpp"
#include "lab/tasks/bodies/queens_board.hpp"
#include "lab/tasks/bodies/sort_pieces.hpp"
#include "lab/tasks/operations.hpp"
#include "lab/tasks/uts_tree.hpp"

// Included last: its macros have short names.
#include <lace.h>

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wc99-extensions"  // in the macros
#endif

// Every task here is recursive, as the problems are.
namespace weft::lab::tasks {
namespace {

using number = std::uint64_t;
using index = std::size_t;

TASK_1(number, fib, number, n) {
  if (n < 2) {
    return n;
  }
  SPAWN(fib, n - 1);
  const number right = CALL(fib, n - 2);
  return SYNC(fib) + right;
}

TASK_2(number, skynet, number, first_leaf, number, num_leaves) {
  constexpr number num_children = 10;
  if (num_leaves == 1) {
    return first_leaf;
  }
  const number below = num_leaves / num_children;
  for (number i = 0; i + 1 < num_children; ++i) {
    SPAWN(skynet, first_leaf + i * below, below);
  }
  number sum = CALL(skynet, first_leaf + (num_children - 1) * below, below);
  for (number i = 0; i + 1 < num_children; ++i) {
    sum += SYNC(skynet);
  }
  return sum;
}

TASK_2(number, nqueens, queens_board, board, index, n) {
  if (board.row == n) {
    return 1;
  }
  const free_columns free = free_columns_of(board, n);
  for (index i = 0; i < free.count; ++i) {
    SPAWN(nqueens, board.with(free.columns[i]), n);
  }
  number sum = 0;
  for (index i = 0; i < free.count; ++i) {
    sum += SYNC(nqueens);
  }
  return sum;
}

TASK_3(number, grain, number, first, number, last, number, steps) {
  if (last - first == 1) {
    return busy_work(first, steps);
  }
  const number middle = first + (last - first) / 2;
  SPAWN(grain, first, middle, steps);
  const number right = CALL(grain, middle, last, steps);
  return SYNC(grain) + right;
}

TASK_1(double, integrate, trapezoid, whole) {
  const halves parts(whole);
  if (parts.are_close_to(whole)) {
    return parts.area();
  }
  SPAWN(integrate, parts.left);
  const double right = CALL(integrate, parts.right);
  return SYNC(integrate) + right;
}

TASK_2(tree_counts, uts, const uts_tree*, shape, uts_node, node) {
  const std::uint32_t num_children = node.num_children(*shape);
  for (std::uint32_t i = 0; i < num_children; ++i) {
    SPAWN(uts, shape, node.child(i));
  }
  tree_counts below;
  for (std::uint32_t i = 0; i < num_children; ++i) {
    add_subtree(below, SYNC(uts));
  }
  return with_node(node, num_children, below);
}

VOID_TASK_1(matmul, block_product, product) {
  if (product.n <= tile_rows) {
    product.multiply_tile();
    return;
  }
  for (index half = 0; half < 2; ++half) {
    for (index quarter = 0; quarter < 3; ++quarter) {
      SPAWN(matmul, product.part(quarter, half));
    }
    CALL(matmul, product.part(3, half));
    for (index quarter = 0; quarter < 3; ++quarter) {
      SYNC(matmul);
    }
  }
}

using merge_job = stl::merge_job<double>;

/// Writes the output elements [first, last) of the merge.
VOID_TASK_3(merge, const merge_job*, job, index, first, index, last) {
  if (last - first <= merged_alone) {
    job->merge_piece(first, last);
    return;
  }
  const index middle = first + (last - first) / 2;
  SPAWN(merge, job, first, middle);
  CALL(merge, job, middle, last);
  SYNC(merge);
}

VOID_TASK_3(sort, double*, values, double*, scratch, index, size) {
  if (size <= sorted_alone) {
    std::sort(values, values + size);
    return;
  }
  const auto ends = quarter_ends(size);
  for (index i = 0; i < 3; ++i) {
    SPAWN(sort, values + ends[i], scratch + ends[i], ends[i + 1] - ends[i]);
  }
  CALL(sort, values + ends[3], scratch + ends[3], ends[4] - ends[3]);
  for (index i = 0; i < 3; ++i) {
    SYNC(sort);
  }
  const index half = ends[2];
  const merge_job left{values, ends[1], values + ends[1], half - ends[1], scratch};
  const merge_job right{
      values + half, ends[3] - half, values + ends[3], size - ends[3], scratch + half};
  SPAWN(merge, &left, 0U, left.size());
  CALL(merge, &right, 0U, right.size());
  SYNC(merge);
  const merge_job both{scratch, half, scratch + half, size - half, values};
  CALL(merge, &both, 0U, size);
}

VOID_TASK_1(count, number*, calls) { ++*calls; }

TASK_1(number, empty_fork, number, size) {
  number left = 0;
  number right = 0;
  for (number i = 0; i < size; ++i) {
    SPAWN(count, &left);
    CALL(count, &right);
    SYNC(count);
  }
  return left + right;
}

operations offered() {
  operations rows;
  rows.fib = [](const request& what) { return RUN(fib, what.size); };
  rows.skynet = [](const request& what) { return RUN(skynet, 0, what.size); };
  rows.nqueens = [](const request& what) { return RUN(nqueens, {}, what.size); };
  rows.grain = [](const request& what) { return RUN(grain, 0, what.size, what.option); };
  rows.integrate = [](double end) { return RUN(integrate, trapezoid::below(end)); };
  rows.uts = [](const uts_tree& shape) { return RUN(uts, &shape, uts_node::root(shape)); };
  rows.matmul = [](const double* a, const double* b, double* c, std::size_t n) {
    std::fill(c, c + n * n, 0.0);
    RUN(matmul, block_product{.a = a, .b = b, .c = c, .n = n, .stride = n});
  };
  rows.sort = [](double* first, double* last, double* scratch) {
    RUN(sort, first, scratch, static_cast<std::size_t>(last - first));
  };
  rows.empty_fork = [](const request& what) { return RUN(empty_fork, what.size * what.calls); };
  rows.fork_from_main = [](const request& what) {
    number sum = 0;
    for (number i = 0; i < what.size; ++i) {
      sum += RUN(empty_fork, 1);
    }
    return sum;
  };
  return rows;
}

void with_workers(int threads, void (*body)(void* context), void* context) {
  constexpr std::size_t default_deque_size = 0;
  lace_start(static_cast<unsigned>(threads), default_deque_size);
  body(context);
  lace_stop();
}

}  // namespace

const backend& linked_backend() {
  static const backend lace{
      .name = "lace",
      .offered = offered(),
      .libraries = [] { return stl::library_versions{stl::standard_library()}; },
      .with_threads = with_workers};
  return lace;
}

}  // namespace weft::lab::tasks
