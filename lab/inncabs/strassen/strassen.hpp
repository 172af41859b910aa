// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem strassen: the product of two matrices by seven products of matrices of half the size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/inncabs/description.hpp"
#include "lab/inncabs/input_class.hpp"
#include "lab/inncabs/strassen/winograd.hpp"
#include "lab/inncabs/unwritten_vector.hpp"

namespace weft::lab::inncabs::strassen {

inline constexpr description about{
    .name = "strassen",
    .computes = "the product of two square matrices by Strassen's recursion in Winograd's form",
    .structure = task_structure::recursive_balanced,
    .tasks = "seven by each product above the cut-off, one for each of its seven products",
    .synchronisation = "none but the joins",
    .grain = granularity::fine,
    .input =
        "seeded random integers from -4 to 4 in matrices of 128 rows (cut-off 16), 2048 and "
        "4096 rows (cut-off 64); with 4096 rows the matrices take 403 MB, the temporaries of "
        "one path from the root to a leaf 224 MB, each further worker at most 123 MB more",
    .check = "exact: C x = A (B x) for two random integer vectors x, in every row",
    .source =
        "Strassen, Numer. Math. 13, 1969; Freivalds, \"Probabilistic Machines Can Use Less "
        "Running Time\", IFIP 1977, for the check; sizes as in Inncabs",
};

/// Row-major matrices of n rows; `n` and `leaf` are powers of two, 4 <= leaf <= n. Products of
/// `leaf` rows are computed by the definition.
///
/// The elements are integers so small that no intermediate sum or product is rounded. After the
/// sums of six levels of recursion they are at most 4^7. Products of 64 rows are at most 2^34, and
/// the combined results stay below 2^53. So the answer does not depend on the order.
struct input {
  std::size_t n;
  std::size_t leaf;
  std::vector<double> a;
  std::vector<double> b;
};

using result = unwritten_vector<double>;  // a * b, row-major

input make_input(input_class which, std::uint64_t seed);

/// The whole product of an input, which is written to `to`, with n * n elements.
product whole_product(const input& in, result& to);

/// The same recursion, one product after the other.
result run_serial(const input& in);

std::string mismatch(const input& in, const result& found);

/// For `paper` this is the study's number, 7 + 7^2 + ... + 7^6 = 137,256.
std::optional<std::uint64_t> num_tasks(const input& in);

std::string scaled(input_class which);

/// Both factors, the product, and the temporaries of one worker. Each further worker needs at most
/// 11/20 of these temporaries: a part of the root's, and a quarter of the levels below.
std::size_t memory_bytes(input_class which);

}  // namespace weft::lab::inncabs::strassen
