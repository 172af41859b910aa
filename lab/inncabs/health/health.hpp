// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem health: a country's patients move between villages and hospitals; one task per village.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lab/inncabs/description.hpp"
#include "lab/inncabs/input_class.hpp"

namespace weft::lab::inncabs::health {

/// The totals of all villages after the last step.
struct result {
  std::uint64_t population = 0;
  std::uint64_t hospitals = 0;
  std::uint64_t personnel = 0;  // free or at work
  std::uint64_t check_ins = 0;
  std::uint64_t in_village = 0;
  std::uint64_t waiting = 0;
  std::uint64_t in_assessment = 0;
  std::uint64_t inside = 0;
  bool operator==(const result&) const = default;
};

/// A country and its parameters.
/// Shape:   `levels` >= 1 and `cities` >= 1; at most 2^31 patients.
struct input {
  std::uint32_t levels = 1;  // of the tree of villages; the capital is the root
  std::uint32_t cities = 1;  // children of each village above the lowest level
  std::uint32_t patients_per_personnel = 10;
  std::uint32_t num_steps = 365;
  std::uint32_t assessment_steps = 2;
  std::uint32_t convalescence_steps = 12;
  std::uint32_t seed = 23;
  float sick_probability = .002F;
  float convalescence_probability = .100F;
  float reallocation_probability = .150F;
  result expected = {};
};

inline constexpr description about{
    .name = "health",
    .computes = "the Columbian health-care simulation: who is where after 365 steps",
    .structure = task_structure::loop_like,
    .tasks = "in every step one per village but the capital, made by its parent's task",
    .synchronisation = "joins, and a mutex around each parent's list of referred patients",
    .grain = granularity::very_fine,
    .input = "trees of 3 levels of 18 children, 4 of 18, 4 of 36 (test, small and medium)",
    .check = "equal to the eight numbers published with the inputs",
    .source =
        "Lomow, Cleary, Unger and West, \"A Performance Study of Time Warp\", SCS Distributed "
        "Simulation 1988; inputs and results as published with Inncabs"};

/// The inputs are published ones: they do not depend on `seed`.
input make_input(input_class which, std::uint64_t seed);

/// Runs the simulation without a runtime: the oracle.
result run_serial(const input& from);

/// Returns the first number that differs from the expected one, or an empty text.
std::string mismatch(const input& from, const result& found);

std::optional<std::uint64_t> num_tasks(const input& from);

/// Empty: no input was scaled down.
std::string scaled(input_class which);

}  // namespace weft::lab::inncabs::health
