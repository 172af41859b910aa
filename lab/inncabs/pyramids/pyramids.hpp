// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem pyramids: Jacobi iteration by recursive cuts through space and time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/inncabs/description.hpp"
#include "lab/inncabs/input_class.hpp"

namespace weft::lab::inncabs::pyramids {

inline constexpr description about{
    .name = "pyramids",
    .computes =
        "a Jacobi iteration on a square grid with fixed borders, cache-obliviously: space "
        "and time are cut into pyramids and wedges",
    .structure = task_structure::recursive_balanced,
    .tasks =
        "one for each piece that can be computed beside others: of a pyramid 4 pyramids, then "
        "4 wedges; of a wedge twice 2 wedges",
    .synchronisation = "none but the joins",
    .grain = granularity::moderate,
    .input =
        "seeded random numbers on 129 x 129 points (64 steps, leaves of 16), 1025 x 1025 (512 "
        "steps, leaves of 64) and 2049 x 2049 (1024 steps, leaves of 64)",
    .check = "every point equal, to the bit, to that of the iteration step by step",
    .source =
        "Frigo, Strumpen, \"Cache Oblivious Stencil Computations\", ICS 2005; sizes as in "
        "Inncabs, number of tasks as in Grubel et al., IPDPSW 2016, Table I",
};

/// Units:   points; `start` has (num_cells + 1)^2, row by row. `num_cells` and `leaf` are powers of
///          two, 2 <= leaf <= num_cells: pieces of size `leaf` are not cut.
struct input {
  std::size_t num_cells;
  std::size_t leaf;
  std::vector<double> start;

  /// The steps that information needs to travel from the middle to the border.
  [[nodiscard]] std::size_t num_steps() const { return num_cells / 2; }
};

using result = std::vector<double>;  // the grid after the last step

input make_input(input_class which, std::uint64_t seed);

/// Step by step, each over the whole grid.
result run_serial(const input& in);

std::string mismatch(const input& in, const result& found);

/// For `paper` this is the study's number, 112,344.
std::optional<std::uint64_t> num_tasks(const input& in);

std::string scaled(input_class which);

/// The input, two grids, and two results to compare.
std::size_t memory_bytes(input_class which);

}  // namespace weft::lab::inncabs::pyramids
