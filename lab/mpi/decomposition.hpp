// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a box of cells is distributed among ranks.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace weft::lab::mpi {

using box = std::array<long long, 3>;

/// Returns the number of cells of part `index` of `num_parts`: the first `cells % num_parts` parts
/// have one more.
[[nodiscard]] long long share(long long cells, long long num_parts, long long index);

/// Returns the first cell of that part.
[[nodiscard]] long long share_begin(long long cells, long long num_parts, long long index);

/// Returns the position of a rank in the grid; the last dimension varies fastest.
[[nodiscard]] box coordinates(int rank, const box& grid);

/// Returns the rank at a position, or -1 outside of the grid.
[[nodiscard]] int rank_at(const box& at, const box& grid);

/// Returns the grid `given`, or, if it is empty, an even grid of that many ranks.
///
/// Errors: `bad_request` if the product is not the number of ranks.
[[nodiscard]] box grid_of(const std::vector<long long>& given, int num_ranks);

/// `8,3,1`.
[[nodiscard]] std::string text_of(const box& what);

}  // namespace weft::lab::mpi
