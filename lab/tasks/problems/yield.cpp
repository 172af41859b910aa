// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem yield: two tasks that yield to each other, `size` times in total.
#include <cstdint>

#include "lab/tasks/operations.hpp"
#include "lab/tasks/problem.hpp"

namespace weft::lab::tasks {
namespace yield_problem {

std::uint64_t answer(const request& what) { return what.size; }

const numeric_problem yield(
    {.name = "yield", .sizes = operations_per_call, .takes_size = is_operations_per_call},
    {.needs = &operations::yield, .answer = answer, .num_tasks = size_of, .enters_once = true});
const registration in_table(yield);

}  // namespace yield_problem
}  // namespace weft::lab::tasks
