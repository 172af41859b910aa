// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem fib: Fibonacci numbers by naive recursion without a cut-off, one task per call.
#include <cstdint>

#include "lab/tasks/operations.hpp"
#include "lab/tasks/problem.hpp"

namespace weft::lab::tasks {
namespace fib_problem {

/// By addition in a loop.
std::uint64_t fibonacci(std::uint64_t n) {
  std::uint64_t value = 0;
  std::uint64_t next = 1;
  for (std::uint64_t i = 0; i < n; ++i) {
    const std::uint64_t after = value + next;
    value = next;
    next = after;
  }
  return value;
}

std::uint64_t answer(const request& what) { return fibonacci(what.size); }
std::uint64_t num_calls(const request& what) { return 2 * fibonacci(what.size + 1) - 1; }
bool takes(std::uint64_t size) { return size <= 50; }

const numeric_problem fib({.name = "fib",
                           .sizes = "n from 1 to 50, such as 30",
                           .takes_size = takes},
                          {.needs = &operations::fib, .answer = answer, .num_tasks = num_calls});
const registration in_table(fib);

}  // namespace fib_problem
}  // namespace weft::lab::tasks
