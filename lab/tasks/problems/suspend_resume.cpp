// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem suspend_resume: two tasks that wake each other alternately; an operation is one wait and
// its wake.
#include <cstdint>

#include "lab/tasks/operations.hpp"
#include "lab/tasks/problem.hpp"

namespace weft::lab::tasks {
namespace suspend_resume_problem {

/// A round is two waits.
std::uint64_t answer(const request& what) { return what.size + what.size % 2; }

const numeric_problem suspend_resume({.name = "suspend_resume",
                                      .sizes = operations_per_call,
                                      .takes_size = is_operations_per_call},
                                     {.needs = &operations::suspend_resume,
                                      .answer = answer,
                                      .num_tasks = size_of,
                                      .enters_once = true});
const registration in_table(suspend_resume);

}  // namespace suspend_resume_problem
}  // namespace weft::lab::tasks
