// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem grain: a binary tree of forks over `size` tasks of equal length, to find the smallest
// task that is worthwhile.
#include <array>
#include <cstdint>

#include "lab/harness/parameters.hpp"
#include "lab/tasks/bodies/busy_work.hpp"
#include "lab/tasks/operations.hpp"
#include "lab/tasks/problem.hpp"

namespace weft::lab::tasks {
namespace grain_problem {

/// Of one task: the longest makes any overhead negligible; zero is no work at all.
constexpr std::array<parameter, 1> grain_parameters{
    {{.name = "steps", .minimum = 0, .maximum = 1 << 24, .default_value = 1000}}};

std::uint64_t answer(const request& what) {
  std::uint64_t sum = 0;
  for (std::uint64_t task = 0; task < what.size; ++task) {
    sum += busy_work(task, what.option);
  }
  return sum;
}

bool takes(std::uint64_t size) { return size >= 1 && size <= 10'000'000; }

const numeric_problem grain({.name = "grain",
                             .sizes = "a number of tasks from 1 to 10^7",
                             .takes_size = takes,
                             .parameters = grain_parameters},
                            {.needs = &operations::grain, .answer = answer, .num_tasks = size_of});
const registration in_table(grain);

}  // namespace grain_problem
}  // namespace weft::lab::tasks
