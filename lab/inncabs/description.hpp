// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The description of a problem: what it computes, how its tasks depend on each other, and what is
// checked.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace weft::lab::inncabs {

/// How the tasks of a problem are created.
/// Source: Table V of Grubel, Kaiser, Huck and Cook, "Using Intrinsic Performance Counters to
///         Assess Efficiency in Task-based Parallel Applications", IPDPSW 2016.
enum class task_structure : std::uint8_t {
  loop_like,
  recursive_balanced,
  recursive_unbalanced,
  co_dependent,
};

/// The duration of a task, in the classes of the same table: up to 5 us, up to 110 us, up to 250
/// us, more.
enum class granularity : std::uint8_t { very_fine, fine, moderate, coarse };

constexpr std::string_view name_of(task_structure which) {
  constexpr std::array<std::string_view, 4> names{
      "loop like", "recursive balanced", "recursive unbalanced", "co-dependent"};
  return names[static_cast<std::uint8_t>(which)];
}

constexpr std::string_view name_of(granularity which) {
  constexpr std::array<std::string_view, 4> names{"very fine", "fine", "moderate", "coarse"};
  return names[static_cast<std::uint8_t>(which)];
}

/// The only description of a problem; all members except `name` are for people.
struct description {
  std::string_view name;      // "fib"
  std::string_view computes;  // "Fibonacci numbers by naive recursion"
  task_structure structure;
  std::string_view tasks;            // "one per call, two by each task"
  std::string_view synchronisation;  // "none but the joins"
  granularity grain;                 // as the study found it to be
  std::string_view input;            // "n = 12, 27 and 30"
  std::string_view check;            // "equal to the number found by addition in a loop"
  // the source of the algorithm, the data and the expected results
  std::string_view source;
};

}  // namespace weft::lab::inncabs
