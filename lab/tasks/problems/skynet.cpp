// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem skynet: a ten-ary tree whose leaves are numbered; the answer is the sum of their numbers.
#include <cstdint>

#include "lab/tasks/operations.hpp"
#include "lab/tasks/problem.hpp"

namespace weft::lab::tasks {
namespace skynet_problem {

std::uint64_t sum_below(const request& what) { return what.size * (what.size - 1) / 2; }
std::uint64_t num_nodes(const request& what) { return (10 * what.size - 1) / 9; }

bool is_power_of_ten(std::uint64_t size) {
  std::uint64_t power = 1;
  while (power < size && power < 1'000'000'000) {
    power *= 10;
  }
  return power == size;
}

const numeric_problem skynet(
    {.name = "skynet", .sizes = "a power of ten from 1 to 10^9", .takes_size = is_power_of_ten},
    {.needs = &operations::skynet, .answer = sum_below, .num_tasks = num_nodes});
const registration in_table(skynet);

}  // namespace skynet_problem
}  // namespace weft::lab::tasks
