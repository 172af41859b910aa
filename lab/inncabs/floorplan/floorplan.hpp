// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem floorplan: cells of choosable shape on the smallest rectangle, by branch and bound.
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
  /// The least area, found by searching everything. Units: squares.
  int optimum = 0;
  /// No more tasks are made than this: the fixed-task-limit variant, whose answer may be worse.
  std::optional<std::uint64_t> task_limit = {};
};

struct result {
  int area = 0;
  /// Where the cells lie; empty if a task limit ended the search before any plan was complete.
  std::vector<rectangle> cells = {};
  /// Positions tried, one by each task: depends on the order of the tasks.
  std::uint64_t nodes = 0;
  /// False if a task limit left branches out.
  bool is_complete = true;
};

/// More than the board has.
constexpr int worse_than_all = board_side * board_side + 1;

/// The result whose best plan is `best`, or nothing complete if that is not.
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

/// How many positions the serial search of an instance tries: all in between are accepted.
struct effort {
  std::uint64_t least = 0;
  std::uint64_t most = 0;
};

[[nodiscard]] effort effort_of(input_class which);

/// Draws instances until the serial search of one takes the effort of its class, which also proves
/// the optimum.
/// Cost:    the serial search of the instance and of those refused; seed 42 has none refused.
[[nodiscard]] input make_input(input_class which, std::uint64_t seed);

/// Depth first, shapes and positions in order.
[[nodiscard]] result run_serial(const input& of);

/// Empty if `found` is right.
[[nodiscard]] std::string mismatch(const input& of, const result& found);

/// Unknown: it depends on the order in which plans are found.
[[nodiscard]] inline std::optional<std::uint64_t> num_tasks(const input& /*of*/) { return {}; }

[[nodiscard]] std::string scaled(input_class which);

}  // namespace weft::lab::inncabs::floorplan
