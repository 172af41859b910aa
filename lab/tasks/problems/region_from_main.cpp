// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem region_from_main: `size` parallel regions of one task per thread, all of equal length.
// The main thread starts each region. Finds the smallest task that is worthwhile there.
#include <array>
#include <cstdint>

#include "lab/harness/parameters.hpp"
#include "lab/tasks/operations.hpp"
#include "lab/tasks/problem.hpp"

namespace weft::lab::tasks {
namespace region_from_main_problem {

/// Of one task.
constexpr std::array<parameter, 1> region_parameters{
    {{.name = "steps", .minimum = 0, .maximum = 1 << 24, .default_value = 100}}};

std::uint64_t num_tasks(const request& what) {
  return what.size * static_cast<std::uint64_t>(what.threads);
}

const numeric_problem region_from_main({.name = "region_from_main",
                                        .sizes = operations_per_call,
                                        .takes_size = is_operations_per_call,
                                        .parameters = region_parameters},
                                       {.needs = &operations::region_from_main,
                                        .answer = num_tasks,
                                        .num_tasks = num_tasks});
const registration in_table(region_from_main);

}  // namespace region_from_main_problem
}  // namespace weft::lab::tasks
