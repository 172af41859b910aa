// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem fork_from_main: `size` forks of two functions that only count, each made by the main
// thread. Includes the cost of entering the runtime, which other micro problems exclude.
#include <cstdint>

#include "lab/tasks/operations.hpp"
#include "lab/tasks/problem.hpp"

namespace weft::lab::tasks {
namespace fork_from_main_problem {

std::uint64_t answer(const request& what) { return 2 * what.size; }

const numeric_problem fork_from_main(
    {.name = "fork_from_main", .sizes = operations_per_call, .takes_size = is_operations_per_call},
    {.needs = &operations::fork_from_main, .answer = answer, .num_tasks = size_of});
const registration in_table(fork_from_main);

}  // namespace fork_from_main_problem
}  // namespace weft::lab::tasks
