// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem wake_parked: two tasks that wait for each other to start, after a pause in which idle
// workers fall asleep.
#include <cstdint>

#include "lab/tasks/operations.hpp"
#include "lab/tasks/problem.hpp"

namespace weft::lab::tasks {
namespace wake_parked_problem {

// Longer than any runtime here spins; libgomp and libomp are the last to sleep.
constexpr double rest_s = 0.3;

std::uint64_t answer(const request& what) { return 2 * what.size; }

const numeric_problem wake_parked(
    {.name = "wake_parked",
     .sizes = operations_per_call,
     .takes_size = is_operations_per_call,
     .min_threads = 2},
    {.needs = &operations::wake, .answer = answer, .num_tasks = size_of, .rest_s = rest_s});
const registration in_table(wake_parked);

}  // namespace wake_parked_problem
}  // namespace weft::lab::tasks
