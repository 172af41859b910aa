// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A chess board of at most 14 rows, small enough to be copied into every task.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace weft::lab::tasks {

constexpr std::size_t max_queens = 14;

/// The queens' columns in the rows above `row`.
struct queens_board {
  std::array<std::int8_t, max_queens> columns{};
  std::uint8_t row = 0;

  [[nodiscard]] queens_board with(std::int8_t column) const {
    queens_board next = *this;
    next.columns[row] = column;
    ++next.row;
    return next;
  }

  [[nodiscard]] bool is_safe(int column) const {
    for (int above = 0; above < row; ++above) {
      const int distance = columns[static_cast<std::size_t>(above)] - column;
      if (distance == 0 || distance == row - above || distance == above - row) {
        return false;
      }
    }
    return true;
  }
};

struct free_columns {
  std::array<std::int8_t, max_queens> columns;
  std::size_t count = 0;
};

inline free_columns free_columns_of(const queens_board& board, std::size_t n) {
  free_columns found;
  for (std::size_t column = 0; column < n; ++column) {
    if (board.is_safe(static_cast<int>(column))) {
      found.columns[found.count++] = static_cast<std::int8_t>(column);
    }
  }
  return found;
}

}  // namespace weft::lab::tasks
