// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Input, oracle and check of problem sparselu.
#include "lab/inncabs/sparselu/sparselu.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lab/inncabs/input_class.hpp"
#include "lab/inncabs/sparselu/blocks.hpp"
#include "lab/stl/inputs.hpp"

namespace weft::lab::inncabs::sparselu {
namespace {

struct sizes {
  std::size_t num_blocks;
  std::size_t block_rows;
};

sizes sizes_of(input_class which) {
  switch (which) {
    case input_class::tiny:
      return {.num_blocks = 10, .block_rows = 12};
    case input_class::small:
      return {.num_blocks = 25, .block_rows = 100};
    case input_class::paper:
      break;
  }
  return {.num_blocks = 50, .block_rows = 100};
}

bool has_block(std::size_t i, std::size_t j) {
  const auto [smaller, larger] = std::minmax(i, j);
  return larger - smaller <= 1 || (smaller % 6 == 0 && larger % 2 == 0);
}

block random_block(std::size_t block_rows, stl::random_bits& random) {
  block made(block_rows * block_rows);
  for (double& element : made) {
    element = static_cast<double>(random.next() >> 10U) * 0x1p-53 - 1;  // from -1 to 1
  }
  return made;
}

// Adds more to the diagonal than a row has elements: no sum of their magnitudes reaches that.
void make_dominant(blocked_matrix& matrix) {
  const std::size_t n = matrix.block_rows();
  const auto more = static_cast<double>(n * matrix.num_blocks() + 1);
  for (std::size_t k = 0; k < matrix.num_blocks(); ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      matrix.at(k, k)[i * n + i] += more;
    }
  }
}

using vector = std::vector<double>;

// Adds to `to` the part of block (i, j) that `uses(row, column)` of the whole matrix selects, times
// x.
template <class Uses>
void add_product(const blocked_matrix& matrix, const vector& x, vector& to, Uses uses) {
  const std::size_t n = matrix.block_rows();
  const std::size_t num_rows = n * matrix.num_blocks();
  for (std::size_t row = 0; row < num_rows; ++row) {
    for (std::size_t j = 0; j < matrix.num_blocks(); ++j) {
      if (!matrix.is_stored(row / n, j)) {
        continue;
      }
      const double* elements = matrix.at(row / n, j).data() + row % n * n;
      for (std::size_t column = j * n; column < (j + 1) * n; ++column) {
        to[row] += uses(row, column) ? elements[column - j * n] * x[column] : 0;
      }
    }
  }
}

vector times_matrix(const blocked_matrix& matrix, const vector& x) {
  vector made(x.size());
  add_product(matrix, x, made, [](std::size_t, std::size_t) { return true; });
  return made;
}

vector times_factors(const blocked_matrix& factors, const vector& x) {
  vector times_upper(x.size());
  add_product(
      factors, x, times_upper, [](std::size_t row, std::size_t column) { return column >= row; });
  vector made = times_upper;  // the unit diagonal of the lower factor
  add_product(
      factors, times_upper, made, [](std::size_t row, std::size_t column) { return column < row; });
  return made;
}

// Independent of the kernels, so that it finds their common errors.
std::string residual_mismatch(const blocked_matrix& matrix, const result& factors) {
  vector x(matrix.num_blocks() * matrix.block_rows());
  stl::random_bits random(0x5EED);
  std::generate(x.begin(), x.end(), [&] { return static_cast<double>(1 + random.below(8)); });
  const vector expected = times_matrix(matrix, x);
  const vector found = times_factors(factors, x);
  const double largest = *std::max_element(expected.begin(), expected.end());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool is_close = std::abs(found[i] - expected[i]) <= 1e-12 * largest;
    if (!is_close) {
      return "row " + std::to_string(i) + " of L U x is " + std::to_string(found[i]) +
             ", expected " + std::to_string(expected[i]);
    }
  }
  return {};
}

}  // namespace

input make_input(input_class which, std::uint64_t seed) {
  const auto [num_blocks, block_rows] = sizes_of(which);
  blocked_matrix matrix(num_blocks, block_rows);
  stl::random_bits random(seed);
  for (std::size_t i = 0; i < num_blocks; ++i) {
    for (std::size_t j = 0; j < num_blocks; ++j) {
      if (has_block(i, j)) {
        matrix.at(i, j) = random_block(block_rows, random);
      }
    }
  }
  make_dominant(matrix);
  return {.matrix = std::move(matrix)};
}

void use_original_graph(input& of) { of.graph = task_graph::reused_index; }

result run_serial(const input& in) {
  result lu = in.matrix;
  for (std::size_t k = 0; k < lu.num_blocks(); ++k) {
    factorise_diagonal(lu, k);
    const panel next = panel_of(lu, k, in.graph);
    for (const std::size_t j : next.solved_columns) {
      solve_in_row(lu, k, j);
    }
    for (const std::size_t i : next.rows) {
      solve_in_column(lu, i, k);
    }
    for (const std::size_t i : next.rows) {
      for (const std::size_t j : next.columns) {
        update(lu, k, i, j);
      }
    }
  }
  return lu;
}

std::string mismatch(const input& in, const result& found) {
  if (found.num_blocks() != in.matrix.num_blocks() ||
      found.block_rows() != in.matrix.block_rows()) {
    return "the matrix has another size than the one that was factorised";
  }
  const std::string residual =
      in.graph == task_graph::complete ? residual_mismatch(in.matrix, found) : "";
  return residual.empty() ? first_difference(found, run_serial(in)) : residual;
}

std::optional<std::uint64_t> num_tasks(const input& in) {
  blocked_matrix stored(in.matrix.num_blocks(), 1);
  for (std::size_t i = 0; i < stored.num_blocks(); ++i) {
    for (std::size_t j = 0; j < stored.num_blocks(); ++j) {
      stored.at(i, j).resize(in.matrix.is_stored(i, j) ? 1 : 0);
    }
  }
  std::uint64_t tasks = 0;
  for (std::size_t k = 0; k < stored.num_blocks(); ++k) {
    const panel next = panel_of(stored, k, in.graph);
    tasks += next.solved_columns.size() + next.rows.size() * (1 + next.columns.size());
    for (const std::size_t i : next.rows) {
      for (const std::size_t j : next.columns) {
        update(stored, k, i, j);
      }
    }
  }
  return tasks;
}

std::string scaled(input_class /*which*/) { return {}; }

std::size_t memory_bytes(input_class which) {
  const auto [num_blocks, block_rows] = sizes_of(which);
  const std::size_t width = num_blocks * block_rows;
  return 3 * width * width * sizeof(double);
}

}  // namespace weft::lab::inncabs::sparselu
