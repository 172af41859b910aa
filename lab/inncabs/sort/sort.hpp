// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem sort: a merge sort that divides in four and merges in parallel by binary search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/inncabs/description.hpp"
#include "lab/inncabs/input_class.hpp"
#include "lab/inncabs/unwritten_vector.hpp"

namespace weft::lab::inncabs::sort {

/// Shape: the cut-offs are at least 4 and 1.
struct input {
  std::vector<std::int64_t> numbers = {};
  std::size_t sorted_alone_below = 2048;  // elements
  std::size_t merged_alone_below = 8192;  // elements of the shorter of the two
};

using result = unwritten_vector<std::int64_t>;

inline constexpr description about{
    .name = "sort",
    .computes = "64-bit integers in ascending order by cilksort",
    .structure = task_structure::recursive_balanced,
    .tasks =
        "four for the quarters of each part, two for their merges, two for the halves of each "
        "merge; parts below 2048 elements and merges with less than 8192 in one task",
    .synchronisation = "joins",
    .grain = granularity::fine,
    .input = "seeded shuffles of 0 to n - 1 for n = 97,656, 6,250,000 and 25,000,000",
    .check = "element i is i",
    .source =
        "Akl and Santoro, \"Optimal Parallel Merging and Sorting Without Memory Conflicts\", "
        "IEEE Trans. Computers 1987; Frigo, Leiserson and Randall, \"The Implementation of "
        "the Cilk-5 Multithreaded Language\", PLDI 1998"};

/// A shuffle of 0 to n - 1 that depends on `seed` only.
input make_input(input_class which, std::uint64_t seed);

/// Sorts without a runtime: the oracle.
result run_serial(const input& from);

/// Returns the first element that is wrong, or an empty text if `found` is 0 to n - 1.
/// Shape: `from.numbers` are a permutation of 0 to n - 1.
std::string mismatch(const input& from, const result& found);

/// How many tasks the form with futures makes.
///
/// The division of merges depends on the numbers.
/// Cost: that of `run_serial`.
std::optional<std::uint64_t> num_tasks(const input& from);

/// Input, result and spare memory. Units: bytes.
std::size_t memory_bytes(input_class which);

std::string scaled(input_class which);

}  // namespace weft::lab::inncabs::sort
