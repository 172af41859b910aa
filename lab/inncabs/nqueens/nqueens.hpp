// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem nqueens: all placements of n queens, one task per safe placement, no cut-off.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "lab/inncabs/description.hpp"
#include "lab/inncabs/input_class.hpp"
#include "lab/tasks/bodies/queens_board.hpp"

namespace weft::lab::inncabs::nqueens {

/// Shape:   1 <= `n` <= tasks::max_queens.
struct input {
  std::size_t n = 1;
};

struct result {
  std::uint64_t num_solutions = 0;
  /// The sum, modulo 2^64, of a hash of each solution, so that wrong boards do not cancel out.
  std::uint64_t fingerprint = 0;
  bool operator==(const result&) const = default;

  result& operator+=(const result& other) {
    num_solutions += other.num_solutions;
    fingerprint += other.fingerprint;
    return *this;
  }
};

inline constexpr description about{
    .name = "nqueens",
    .computes = "all placements of n queens on a board of n x n squares",
    .structure = task_structure::recursive_unbalanced,
    .tasks = "one per safe placement of a queen in the next row, with a copy of the board",
    .synchronisation = "none but the joins",
    .grain = granularity::fine,
    .input = "n = 8, 12 and 13",
    .check =
        "the number of solutions is the published one, and a hash of all boards that of an "
        "enumeration by bit masks; a board counts if no two of its queens attack each other",
    .source = "the definition; numbers of solutions: OEIS A000170; n as in Inncabs"};

/// The same for every seed.
input make_input(input_class which, std::uint64_t seed);

/// The same search with ordinary calls.
result run_serial(const input& of);

/// Returns the error in `found`, or an empty text.
std::string mismatch(const input& of, const result& found);

/// Returns the number of safe placements, including the empty one.
std::optional<std::uint64_t> num_tasks(const input& of);

/// Empty: no input was scaled down.
std::string scaled(input_class which);

/// Returns the hash of a full board; 0 if two of its queens attack each other.
result counted(const tasks::queens_board& full);

}  // namespace weft::lab::inncabs::nqueens
