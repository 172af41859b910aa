// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem fib: Fibonacci numbers by naive recursion without a cut-off, one task per call.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lab/inncabs/description.hpp"
#include "lab/inncabs/input_class.hpp"

namespace weft::lab::inncabs::fib {

/// Shape:   `n` <= 90, whose number 64 bits hold.
struct input {
  std::uint64_t n = 0;
};

using result = std::uint64_t;

inline constexpr description about{
    .name = "fib",
    .computes = "Fibonacci numbers by naive recursion",
    .structure = task_structure::recursive_balanced,
    .tasks = "one per call; each call above n = 1 makes two and waits in the order it made them",
    .synchronisation = "none but the joins",
    .grain = granularity::very_fine,
    .input = "n = 12, 35 and 30",
    .check = "equal to the number found by addition in a loop",
    .source = "the definition; n as in Inncabs"};

/// The same for every seed.
input make_input(input_class which, std::uint64_t seed);

/// The same recursion with ordinary calls.
result run_serial(const input& of);

/// Returns the error in `found`, or an empty text.
std::string mismatch(const input& of, result found);

/// Returns the number of calls.
std::optional<std::uint64_t> num_tasks(const input& of);

/// Empty: no input was scaled down.
std::string scaled(input_class which);

}  // namespace weft::lab::inncabs::fib
