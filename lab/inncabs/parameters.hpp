// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a cell selects a run: its size is the class of the input, its parameters select the rest.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "lab/harness/experiment.hpp"
#include "lab/harness/parameters.hpp"
#include "lab/inncabs/input_class.hpp"
#include "lab/inncabs/launch_policy.hpp"
#include "lab/inncabs/problem.hpp"

namespace weft::lab::inncabs {

/// 0: async, 1: deferred, 2: optional, 3: fork.
inline constexpr parameter launch_parameter{
    .name = "launch", .minimum = 0, .maximum = launch_policies.size() - 1, .default_value = 0};

/// The largest number of tasks of a search; 0: no limit.
inline constexpr parameter max_tasks_parameter{.name = "max_tasks",
                                               .minimum = 0,
                                               .maximum = std::numeric_limits<std::int64_t>::max(),
                                               .default_value = 0};

/// 1: the task graph of the program that the study measured, if it differs.
inline constexpr parameter original_graph_parameter{
    .name = "original_graph", .minimum = 0, .maximum = 1, .default_value = 0};

inline constexpr std::array parameters_of_all{launch_parameter};
inline constexpr std::array parameters_of_searches{launch_parameter, max_tasks_parameter};
inline constexpr std::array parameters_of_two_graphs{launch_parameter, original_graph_parameter};

/// Sizes 1, 2 and 3 are the classes tiny, small and paper.
inline bool is_size(std::size_t size) { return size >= 1 && size <= input_classes.size(); }

inline request request_of(const cell& what) {
  return {.which = input_classes[what.size - 1],
          .seed = what.seed,
          .how = launch_policies[static_cast<std::size_t>(value_of(launch_parameter, what.params))],
          .max_tasks = static_cast<std::uint64_t>(value_of(max_tasks_parameter, what.params)),
          .has_original_graph = value_of(original_graph_parameter, what.params) == 1};
}

}  // namespace weft::lab::inncabs
