// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem when_all: `size` futures joined into one, and their sum.
#include <cstdint>

#include "lab/tasks/operations.hpp"
#include "lab/tasks/problem.hpp"

namespace weft::lab::tasks {
namespace when_all_problem {

/// 0 + 1 + ... + (size - 1).
std::uint64_t answer(const request& what) { return what.size * (what.size - 1) / 2; }

const numeric_problem when_all(
    {.name = "when_all", .sizes = operations_per_call, .takes_size = is_operations_per_call},
    {.needs = &operations::when_all, .answer = answer, .num_tasks = size_of, .enters_once = true});
const registration in_table(when_all);

}  // namespace when_all_problem
}  // namespace weft::lab::tasks
