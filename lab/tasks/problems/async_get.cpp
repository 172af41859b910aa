// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem async_get: `size` futures; each is awaited before the next is made.
#include <cstdint>

#include "lab/tasks/operations.hpp"
#include "lab/tasks/problem.hpp"

namespace weft::lab::tasks {
namespace async_get_problem {

/// 0 + 1 + ... + (size - 1).
std::uint64_t answer(const request& what) { return what.size * (what.size - 1) / 2; }

const numeric_problem async_get(
    {.name = "async_get", .sizes = operations_per_call, .takes_size = is_operations_per_call},
    {.needs = &operations::async_get, .answer = answer, .num_tasks = size_of, .enters_once = true});
const registration in_table(async_get);

}  // namespace async_get_problem
}  // namespace weft::lab::tasks
