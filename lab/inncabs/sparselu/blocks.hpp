// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sparse matrix of dense square blocks, and the operations of an LU factorisation on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace weft::lab::inncabs::sparselu {

using block = std::vector<double>;  // row-major; empty: all zeros, not stored

/// num_blocks x num_blocks blocks of block_rows x block_rows elements.
///
/// Threads: different blocks may be used at the same time.
class blocked_matrix {
 public:
  blocked_matrix(std::size_t num_blocks, std::size_t block_rows)
      : num_blocks_(num_blocks), block_rows_(block_rows), blocks_(num_blocks * num_blocks) {}

  [[nodiscard]] std::size_t num_blocks() const noexcept { return num_blocks_; }
  [[nodiscard]] std::size_t block_rows() const noexcept { return block_rows_; }
  [[nodiscard]] block& at(std::size_t i, std::size_t j) { return blocks_[i * num_blocks_ + j]; }
  [[nodiscard]] const block& at(std::size_t i, std::size_t j) const {
    return blocks_[i * num_blocks_ + j];
  }
  [[nodiscard]] bool is_stored(std::size_t i, std::size_t j) const { return !at(i, j).empty(); }

 private:
  std::size_t num_blocks_;
  std::size_t block_rows_;
  std::vector<block> blocks_;
};

/// Which blocks of a row of blocks get a task.
enum class task_graph : std::uint8_t {
  /// All blocks that the factorisation needs.
  complete,
  /// The graph of the original program. Its index of the row of blocks ends after the first block.
  /// So the other blocks are not solved, and the result is not a factorisation. For 50 x 50 blocks
  /// it has 49 + 625 tasks that solve and 10,425 that update, in total the study's number.
  reused_index,
};

/// The blocks that step k of a factorisation works on.
struct panel {
  std::vector<std::size_t> solved_columns;  // blocks (k, j) to be divided by the lower factor
  std::vector<std::size_t> rows;            // stored blocks (i, k), to be divided by the upper one
  std::vector<std::size_t> columns;         // stored blocks (k, j)
};

panel panel_of(const blocked_matrix& matrix, std::size_t k, task_graph graph);

/// Factorises block (k, k) in place: its lower factor has a unit diagonal, which is not stored.
void factorise_diagonal(blocked_matrix& matrix, std::size_t k);

/// Divides block (k, j) from the left by the lower factor of (k, k).
void solve_in_row(blocked_matrix& matrix, std::size_t k, std::size_t j);

/// Divides block (i, k) from the right by the upper factor of (k, k).
void solve_in_column(blocked_matrix& matrix, std::size_t i, std::size_t k);

/// Subtracts (i, k) * (k, j) from (i, j), which is stored from then on.
void update(blocked_matrix& matrix, std::size_t k, std::size_t i, std::size_t j);

/// "block (2, 3): element 17 is 3, expected 4", "block (2, 3) is stored, expected none", or empty;
/// the two have the same size.
std::string first_difference(const blocked_matrix& found, const blocked_matrix& expected);

}  // namespace weft::lab::inncabs::sparselu
