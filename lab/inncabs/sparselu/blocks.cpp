// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dense kernels on blocks, in the order of elimination.
#include "lab/inncabs/sparselu/blocks.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "lab/inncabs/first_difference.hpp"

namespace weft::lab::inncabs::sparselu {
namespace {

// to[j] -= factor * from[j] for j in [first, last); the two rows do not overlap.
void subtract_multiple(
    double* __restrict to, const double* from, double factor, std::size_t first, std::size_t last) {
  for (std::size_t j = first; j < last; ++j) {
    to[j] -= factor * from[j];
  }
}

}  // namespace

panel panel_of(const blocked_matrix& matrix, std::size_t k, task_graph graph) {
  panel made;
  for (std::size_t i = k + 1; i < matrix.num_blocks(); ++i) {
    if (matrix.is_stored(i, k)) {
      made.rows.push_back(i);
    }
    if (matrix.is_stored(k, i)) {
      made.columns.push_back(i);
    }
  }
  made.solved_columns = made.columns;
  if (graph == task_graph::reused_index && made.columns.size() > 1) {
    made.solved_columns.resize(1);
  }
  return made;
}

void factorise_diagonal(blocked_matrix& matrix, std::size_t k) {
  const std::size_t n = matrix.block_rows();
  double* a = matrix.at(k, k).data();
  for (std::size_t pivot = 0; pivot < n; ++pivot) {
    for (std::size_t i = pivot + 1; i < n; ++i) {
      a[i * n + pivot] /= a[pivot * n + pivot];
      subtract_multiple(a + i * n, a + pivot * n, a[i * n + pivot], pivot + 1, n);
    }
  }
}

void solve_in_row(blocked_matrix& matrix, std::size_t k, std::size_t j) {
  const std::size_t n = matrix.block_rows();
  const double* lower = matrix.at(k, k).data();
  double* b = matrix.at(k, j).data();
  for (std::size_t pivot = 0; pivot < n; ++pivot) {
    for (std::size_t i = pivot + 1; i < n; ++i) {
      subtract_multiple(b + i * n, b + pivot * n, lower[i * n + pivot], 0, n);
    }
  }
}

void solve_in_column(blocked_matrix& matrix, std::size_t i, std::size_t k) {
  const std::size_t n = matrix.block_rows();
  const double* upper = matrix.at(k, k).data();
  double* b = matrix.at(i, k).data();
  for (std::size_t row = 0; row < n; ++row) {
    double* of_row = b + row * n;
    for (std::size_t pivot = 0; pivot < n; ++pivot) {
      of_row[pivot] /= upper[pivot * n + pivot];
      subtract_multiple(of_row, upper + pivot * n, of_row[pivot], pivot + 1, n);
    }
  }
}

void update(blocked_matrix& matrix, std::size_t k, std::size_t i, std::size_t j) {
  const std::size_t n = matrix.block_rows();
  block& target = matrix.at(i, j);
  if (target.empty()) {
    target.resize(n * n);
  }
  const double* left = matrix.at(i, k).data();
  const double* right = matrix.at(k, j).data();
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t inner = 0; inner < n; ++inner) {
      subtract_multiple(target.data() + row * n, right + inner * n, left[row * n + inner], 0, n);
    }
  }
}

std::string first_difference(const blocked_matrix& found, const blocked_matrix& expected) {
  for (std::size_t i = 0; i < expected.num_blocks(); ++i) {
    for (std::size_t j = 0; j < expected.num_blocks(); ++j) {
      std::string place = "block (" + std::to_string(i) + ", " + std::to_string(j) + ")";
      if (found.is_stored(i, j) != expected.is_stored(i, j)) {
        return place + (found.is_stored(i, j) ? " is stored, expected none"
                                              : " is not stored, but expected");
      }
      const std::string difference =
          inncabs::first_difference(std::span(found.at(i, j)), std::span(expected.at(i, j)));
      if (!difference.empty()) {
        place.append(": ").append(difference);
        return place;
      }
    }
  }
  return {};
}

}  // namespace weft::lab::inncabs::sparselu
