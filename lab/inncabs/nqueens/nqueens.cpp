// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The search of problem nqueens without tasks, and the enumeration by bit masks that checks it.
#include "lab/inncabs/nqueens/nqueens.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "lab/inncabs/input_class.hpp"
#include "lab/tasks/bodies/queens_board.hpp"

namespace weft::lab::inncabs::nqueens {
namespace {

using tasks::max_queens;
using tasks::queens_board;

// Of 1 to 14 queens: OEIS A000170.
constexpr std::array<std::uint64_t, max_queens> published_solutions{
    1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596};

constexpr unsigned bits_per_column = 4;

/// Hashes the columns, `bits_per_column` each.
/// Source: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
std::uint64_t hash_of(std::uint64_t columns) {
  std::uint64_t value = columns + 0x9E3779B97F4A7C15U;
  value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31U);
}

bool is_valid(const queens_board& full) {
  for (int row = 0; row < full.row; ++row) {
    const auto column = full.columns[static_cast<std::size_t>(row)];
    for (int above = 0; above < row; ++above) {
      const int distance = full.columns[static_cast<std::size_t>(above)] - column;
      if (distance == 0 || distance == row - above || distance == above - row) {
        return false;
      }
    }
  }
  return true;
}

// NOLINTNEXTLINE(misc-no-recursion)
result place(const queens_board& board, std::size_t n) {
  if (board.row == n) {
    return counted(board);
  }
  const tasks::free_columns free = tasks::free_columns_of(board, n);
  result sum;
  for (std::size_t i = 0; i < free.count; ++i) {
    sum += place(board.with(free.columns[i]), n);
  }
  return sum;
}

struct enumeration {
  std::uint64_t num_nodes = 0;
  result found = {};
};

/// Squares of the next row that queens above attack, and where those queens are.
struct attacked {
  std::uint32_t columns = 0;
  std::uint32_t left = 0;
  std::uint32_t right = 0;
  std::uint64_t queens = 0;
};

// NOLINTNEXTLINE(misc-no-recursion)
void enumerate(std::uint32_t all, const attacked& by, enumeration& to) {
  ++to.num_nodes;
  if (by.columns == all) {
    to.found += {.num_solutions = 1, .fingerprint = hash_of(by.queens)};
    return;
  }
  for (std::uint32_t free = all & ~(by.columns | by.left | by.right); free != 0; free &= free - 1) {
    const std::uint32_t queen = free & (0U - free);
    enumerate(all,
              {.columns = by.columns | queen,
               .left = (by.left | queen) << 1U,
               .right = (by.right | queen) >> 1U,
               .queens = by.queens << bits_per_column |
                         static_cast<std::uint64_t>(std::countr_zero(queen))},
              to);
  }
}

enumeration enumerated(const input& of) {
  enumeration all;
  enumerate((1U << of.n) - 1, {}, all);
  return all;
}

std::string text_of(const result& what) {
  return std::to_string(what.num_solutions) + " solutions with fingerprint " +
         std::to_string(what.fingerprint);
}

}  // namespace

result counted(const queens_board& full) {
  if (!is_valid(full)) {
    return {};
  }
  std::uint64_t queens = 0;
  for (std::size_t row = 0; row < full.row; ++row) {
    queens = queens << bits_per_column | static_cast<std::uint64_t>(full.columns[row]);
  }
  return {.num_solutions = 1, .fingerprint = hash_of(queens)};
}

input make_input(input_class which, std::uint64_t /*seed*/) {
  constexpr std::array<std::size_t, input_classes.size()> n{8, 12, 13};
  return {.n = n[static_cast<std::size_t>(which)]};
}

result run_serial(const input& of) { return place({}, of.n); }

std::string mismatch(const input& of, const result& found) {
  const std::uint64_t published = published_solutions[of.n - 1];
  if (found.num_solutions != published) {
    return std::to_string(found.num_solutions) + " solutions for " + std::to_string(of.n) +
           " queens, published are " + std::to_string(published);
  }
  const result expected = enumerated(of).found;
  if (found != expected) {
    return "other boards than expected: " + text_of(found) + ", expected " + text_of(expected);
  }
  return {};
}

std::optional<std::uint64_t> num_tasks(const input& of) { return enumerated(of).num_nodes; }

std::string scaled(input_class /*which*/) { return {}; }

}  // namespace weft::lab::inncabs::nqueens
