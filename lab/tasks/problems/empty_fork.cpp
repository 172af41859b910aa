// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem empty_fork: `size` forks of two functions that only count, one after the other.
#include <cstdint>

#include "lab/tasks/operations.hpp"
#include "lab/tasks/problem.hpp"

namespace weft::lab::tasks {
namespace empty_fork_problem {

std::uint64_t answer(const request& what) { return 2 * what.size; }

const numeric_problem empty_fork({.name = "empty_fork",
                                  .sizes = operations_per_call,
                                  .takes_size = is_operations_per_call},
                                 {.needs = &operations::empty_fork,
                                  .answer = answer,
                                  .num_tasks = size_of,
                                  .enters_once = true});
const registration in_table(empty_fork);

}  // namespace empty_fork_problem
}  // namespace weft::lab::tasks
