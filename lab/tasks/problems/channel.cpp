// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem channel: `size` numbers from one task to another through a bounded channel.
#include <cstdint>

#include "lab/tasks/operations.hpp"
#include "lab/tasks/problem.hpp"

namespace weft::lab::tasks {
namespace channel_problem {

/// 0 + 1 + ... + (size - 1).
std::uint64_t answer(const request& what) { return what.size * (what.size - 1) / 2; }

const numeric_problem channel(
    {.name = "channel", .sizes = operations_per_call, .takes_size = is_operations_per_call},
    {.needs = &operations::channel, .answer = answer, .num_tasks = size_of, .enters_once = true});
const registration in_table(channel);

}  // namespace channel_problem
}  // namespace weft::lab::tasks
