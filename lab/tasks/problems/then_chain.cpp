// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem then_chain: one future with `size` continuations, each adding one.
#include <cstdint>

#include "lab/tasks/operations.hpp"
#include "lab/tasks/problem.hpp"

namespace weft::lab::tasks {
namespace then_chain_problem {

std::uint64_t answer(const request& what) { return what.size; }

const numeric_problem then_chain({.name = "then_chain",
                                  .sizes = operations_per_call,
                                  .takes_size = is_operations_per_call},
                                 {.needs = &operations::then_chain,
                                  .answer = answer,
                                  .num_tasks = size_of,
                                  .enters_once = true});
const registration in_table(then_chain);

}  // namespace then_chain_problem
}  // namespace weft::lab::tasks
