// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem wake_searching: `size` times, two tasks that wait for each other to start; the workers
// stay awake in between.
#include <cstdint>

#include "lab/tasks/operations.hpp"
#include "lab/tasks/problem.hpp"

namespace weft::lab::tasks {
namespace wake_searching_problem {

std::uint64_t answer(const request& what) { return 2 * what.size; }

const numeric_problem wake_searching(
    {.name = "wake_searching",
     .sizes = operations_per_call,
     .takes_size = is_operations_per_call,
     .min_threads = 2},
    {.needs = &operations::wake, .answer = answer, .num_tasks = size_of, .enters_once = true});
const registration in_table(wake_searching);

}  // namespace wake_searching_problem
}  // namespace weft::lab::tasks
