// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem floorplan: cells with a choice of shapes on the smallest rectangle, by branch and bound.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/inncabs/description.hpp"
#include "lab/inncabs/floorplan/plan.hpp"
#include "lab/inncabs/input_class.hpp"

namespace weft::lab::inncabs::floorplan {

struct input {
  std::vector<cell> cells = {};
  /// The least area, found by an exhaustive search. Units: squares.
  int optimum = 0;
  /// The largest number of tasks. This is the fixed-task-limit variant, whose answer may be worse.
  std::optional<std::uint64_t> task_limit = {};
};

struct result {
  int area = 0;
  /// The positions of the cells; empty if a task limit ended the search before any plan was
  /// complete.
  std::vector<rectangle> cells = {};
  /// Positions tried, one by each task: depends on the order of the tasks.
  std::uint64_t nodes = 0;
  /// False if a task limit made the search skip branches.
  bool is_complete = true;
};

/// Larger than the board's area.
constexpr int worse_than_all = board_side * board_side + 1;

/// Returns the result whose best plan is `best`; without a plan if `best` is not complete.
[[nodiscard]] result make_result(const input& of, const plan& best, std::uint64_t nodes);

inline constexpr description about{
    .name = "floorplan",
    .computes =
        "the rectangle of least area on which cells of choosable shape can lie, each beside "
        "or below given others",
    .structure = task_structure::recursive_unbalanced,
    .tasks = "one per cell, shape and position, those that do not fit included",
    .synchronisation = "one atomic minimum, read by every task, prunes",
    .grain = granularity::very_fine,
    .input =
        "5, 15 (the study's number) and 20 cells of up to 3 shapes, drawn by seed until the search "
        "is neither trivial nor hopeless",
    .check =
        "the plan is valid and has the area claimed, which is the least: found by searching "
        "everything, serially",
    .source =
        "algorithm as in Duran, Teruel, Ferrer, Martorell and Ayguade, \"Barcelona OpenMP "
        "Tasks Suite\", ICPP 2009; own instances"};

/// The range of positions that the serial search of an accepted instance tries.
struct effort {
  std::uint64_t least = 0;
  std::uint64_t most = 0;
};

[[nodiscard]] effort effort_of(input_class which);

/// Draws instances until the serial search of one takes the effort of its class; that search also
/// proves the optimum.
/// Cost:    the serial searches of the instance and of the rejected ones; seed 42 rejects none.
[[nodiscard]] input make_input(input_class which, std::uint64_t seed);

/// Depth first, shapes and positions in order.
[[nodiscard]] result run_serial(const input& of);

/// Returns the error in `found`, or an empty text.
[[nodiscard]] std::string mismatch(const input& of, const result& found);

/// Unknown: it depends on the order in which plans are found.
[[nodiscard]] inline std::optional<std::uint64_t> num_tasks(const input& /*of*/) { return {}; }

[[nodiscard]] std::string scaled(input_class which);

}  // namespace weft::lab::inncabs::floorplan
