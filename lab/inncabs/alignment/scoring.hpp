// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The score of a column of an alignment of two proteins.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace weft::lab::inncabs::alignment {

inline constexpr std::string_view amino_acids = "ACDEFGHIKLMNPQRSTVWY";
inline constexpr std::size_t num_amino_acids = amino_acids.size();

using residue = std::uint8_t;  // an index into `amino_acids`
using sequence = std::vector<residue>;

/// Units:   tenths, as are all scores here: ten times the logarithm to base 10 of how much more
///          often two residues are aligned than by chance, at 250 accepted mutations per 100.
/// Source:  Gonnet, Cohen, Benner, "Exhaustive Matching of the Entire Protein Sequence Database",
///          Science 256, 1992, figure 2.
inline constexpr std::array<std::array<std::int16_t, num_amino_acids>, num_amino_acids> gonnet250{{
    {24, 5, -3, 0, -23, 5, -8, -8, -4, -12, -7, -3, 3, -2, -6, 11, 6, 1, -36, -22},
    {5, 115, -32, -30, -8, -20, -13, -11, -28, -15, -9, -18, -31, -24, -22, 1, -5, 0, -10, -5},
    {-3, -32, 47, 27, -45, 1, 4, -38, 5, -40, -30, 22, -7, 9, -3, 5, 0, -29, -52, -28},
    {0, -30, 27, 36, -39, -8, 4, -27, 12, -28, -20, 9, -5, 17, 4, 2, -1, -19, -43, -27},
    {-23, -8, -45, -39, 70, -52, -1, 10, -33, 20, 16, -31, -38, -26, -32, -28, -22, 1, 36, 51},
    {5, -20, 1, -8, -52, 66, -14, -45, -11, -44, -35, 4, -16, -10, -10, 4, -11, -33, -40, -40},
    {-8, -13, 4, 4, -1, -14, 60, -22, 6, -19, -13, 12, -11, 12, 6, -2, -3, -20, -8, 22},
    {-8, -11, -38, -27, 10, -45, -22, 40, -21, 28, 25, -28, -26, -19, -24, -18, -6, 31, -18, -7},
    {-4, -28, 5, 12, -33, -11, 6, -21, 32, -21, -14, 8, -6, 15, 27, 1, 1, -17, -35, -21},
    {-12, -15, -40, -28, 20, -44, -19, 28, -21, 40, 28, -30, -23, -16, -22, -21, -13, 18, -7, 0},
    {-7, -9, -30, -20, 16, -35, -13, 25, -14, 28, 43, -22, -24, -10, -17, -14, -6, 16, -10, -2},
    {-3, -18, 22, 9, -31, 4, 12, -28, 8, -30, -22, 38, -9, 7, 3, 9, 5, -22, -36, -14},
    {3, -31, -7, -5, -38, -16, -11, -26, -6, -23, -24, -9, 76, -2, -9, 4, 1, -18, -50, -31},
    {-2, -24, 9, 17, -26, -10, 12, -19, 15, -16, -10, 7, -2, 27, 15, 2, 0, -15, -27, -17},
    {-6, -22, -3, 4, -32, -10, 6, -24, 27, -22, -17, 3, -9, 15, 47, -2, -2, -20, -16, -18},
    {11, 1, 5, 2, -28, 4, -2, -18, 1, -21, -14, 9, 4, 2, -2, 22, 15, -10, -33, -19},
    {6, -5, 0, -1, -22, -11, -3, -6, 1, -13, -6, 5, 1, 0, -2, 15, 25, 0, -35, -19},
    {1, 0, -29, -19, 1, -33, -20, 31, -17, 18, 16, -22, -18, -15, -20, -10, 0, 34, -26, -11},
    {-36, -10, -52, -43, 36,  -40, -8,  -18, -35, -7,
     -10, -36, -50, -27, -16, -33, -35, -26, 142, 41},
    {-22, -5, -28, -27, 51, -40, 22, -7, -21, 0, -2, -14, -31, -17, -18, -19, -19, -11, 41, 78},
}};

/// The cost of a gap of any length, and the additional cost of each residue opposite to it: 10 and
/// 0.1.
inline constexpr int gap_open = 100;
inline constexpr int gap_extend = 1;

constexpr int gap_cost(std::size_t num_residues) {
  return num_residues == 0 ? 0 : gap_open + gap_extend * static_cast<int>(num_residues);
}

}  // namespace weft::lab::inncabs::alignment
