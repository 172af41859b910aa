// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem mutex: `size` lock and unlock pairs, by one task or by one per thread.
#include <array>
#include <cstdint>

#include "lab/harness/parameters.hpp"
#include "lab/tasks/operations.hpp"
#include "lab/tasks/problem.hpp"

namespace weft::lab::tasks {
namespace mutex_problem {

/// 0: one task; 1: as many tasks as threads, which compete for the lock.
constexpr std::array<parameter, 1> mutex_parameters{
    {{.name = "contended", .minimum = 0, .maximum = 1, .default_value = 0}}};

std::uint64_t answer(const request& what) { return what.size; }

const numeric_problem mutex(
    {.name = "mutex",
     .sizes = operations_per_call,
     .takes_size = is_operations_per_call,
     .parameters = mutex_parameters},
    {.needs = &operations::mutex, .answer = answer, .num_tasks = size_of, .enters_once = true});
const registration in_table(mutex);

}  // namespace mutex_problem
}  // namespace weft::lab::tasks
