// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem intersim: a net of interacting cells multiplies n by n in unary numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "lab/inncabs/description.hpp"
#include "lab/inncabs/input_class.hpp"

namespace weft::lab::inncabs::intersim {

struct input {
  std::uint32_t factor = 1;  // n; at most 10,000
};

struct result {
  std::optional<std::uint64_t> product;  // none: the net did not end in a number
  std::uint64_t num_interactions = 0;
  bool operator==(const result&) const = default;
};

inline constexpr description about{
    .name = "intersim",
    .computes = "n * n by an interaction net of zeros, successors, sums, products, copies, erasers",
    .structure = task_structure::co_dependent,
    .tasks =
        "one per active pair of cells, which makes up to three more and waits for all but the "
        "last, for which its own waiter waits; in the form with groups it goes on with the last",
    .synchronisation =
        "a mutex per cell: each task locks the two of its pair, then all different "
        "ones of the pair and its neighbours at once, up to five",
    .grain = granularity::very_fine,
    .input = "n = 15, 270 and 150",
    .check =
        "the product is n * n, and the number of interactions that which every order of "
        "reduction takes",
    .source =
        "Lafont, \"Interaction Nets\", POPL 1990, and \"Interaction Combinators\", Information "
        "and Computation 137, 1997"};

/// The inputs do not depend on `seed`.
input make_input(input_class which, std::uint64_t seed);

/// Reduces the net without a runtime: the oracle.
result run_serial(const input& from);

/// Returns the difference, or an empty text if `found` is right.
std::string mismatch(const input& from, const result& found);

/// One per interaction, as the form with futures makes them.
std::optional<std::uint64_t> num_tasks(const input& from);

/// Returns the memory of the form with futures, whose ended tasks keep their results until their
/// waiters take them. Six runs with two workers used up to 16 bytes per interaction.
/// Units:   bytes.
std::size_t memory_bytes(input_class which);

/// Empty: no input was scaled down.
std::string scaled(input_class which);

}  // namespace weft::lab::inncabs::intersim
