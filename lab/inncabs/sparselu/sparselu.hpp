// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem sparselu: LU factorisation of a sparse matrix of dense blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "lab/inncabs/description.hpp"
#include "lab/inncabs/input_class.hpp"
#include "lab/inncabs/sparselu/blocks.hpp"

namespace weft::lab::inncabs::sparselu {

inline constexpr description about{
    .name = "sparselu",
    .computes = "the factors L and U of a sparse matrix of dense blocks, with fill-in, in place",
    .structure = task_structure::loop_like,
    .tasks =
        "for each block row: one per stored block to its right and one per stored block below "
        "its diagonal block, then one per product of two of these",
    .synchronisation = "none but the joins, two for each block row",
    .grain = granularity::coarse,
    .input =
        "seeded random blocks: 10 x 10 of 12 x 12 elements, 25 x 25 and 50 x 50 of 100 x 100; "
        "stored are the blocks beside the diagonal and those whose two indices are even, the "
        "smaller one a multiple of 3",
    .check =
        "L (U x) is A x to 1e-12; every block, fill-in included, is equal to the bit to that "
        "of a serial factorisation; with the original's task graph, which gives no factors, the "
        "latter only",
    .source =
        "right-looking block LU: Golub, Van Loan, \"Matrix Computations\", section 3.2; "
        "sizes as in Inncabs; the number of tasks of the graph `reused_index` as in Grubel et "
        "al., IPDPSW 2016, Table I",
};

struct input {
  blocked_matrix matrix;
  task_graph graph = task_graph::complete;
};

using result = blocked_matrix;  // L below the diagonal, U on and above it

/// Strictly diagonally dominant, so that no rows need to be exchanged.
input make_input(input_class which, std::uint64_t seed);

/// Selects the task graph of the study's program for `of`.
void use_original_graph(input& of);

result run_serial(const input& in);

std::string mismatch(const input& in, const result& found);

/// For `paper` 11,675; with the graph `reused_index` the study's number, 11,099.
std::optional<std::uint64_t> num_tasks(const input& in);

std::string scaled(input_class which);

/// The input and two results to compare, as if all blocks were stored: an upper bound.
std::size_t memory_bytes(input_class which);

}  // namespace weft::lab::inncabs::sparselu
