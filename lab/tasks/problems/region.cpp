// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem region: `size` parallel regions, each with one tiny body per thread.
#include <cstdint>

#include "lab/tasks/operations.hpp"
#include "lab/tasks/problem.hpp"

namespace weft::lab::tasks {
namespace region_problem {

std::uint64_t answer(const request& what) {
  return what.size * static_cast<std::uint64_t>(what.threads);
}

const numeric_problem region(
    {.name = "region", .sizes = operations_per_call, .takes_size = is_operations_per_call},
    {.needs = &operations::region, .answer = answer, .num_tasks = size_of, .enters_once = true});
const registration in_table(region);

}  // namespace region_problem
}  // namespace weft::lab::tasks
