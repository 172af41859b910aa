// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cells whose values are their positions in the world.
#include "lab/mpi/halo/problem.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace weft::lab::halo_bench {
namespace {

constexpr double mark = -1;

/// Returns the position of a cell along one dimension of the whole world; -1: beyond a boundary.
std::ptrdiff_t global_index(const problem& what,
                            const place& where,
                            std::size_t dim,
                            std::ptrdiff_t local) {
  const std::ptrdiff_t length = what.size[dim] * where.dims[dim];
  const std::ptrdiff_t global = where.coords[dim] * what.size[dim] + local - what.width;
  if (what.is_periodic) {
    return (global + length) % length;
  }
  return global < 0 || global >= length ? -1 : global;
}

/// Returns a dimension's part of the number of a cell, by local index; -1: beyond a boundary.
std::vector<std::ptrdiff_t> parts_of(const problem& what, const place& where, std::size_t dim) {
  constexpr std::ptrdiff_t many = 1 << 15;
  constexpr std::array<std::ptrdiff_t, 3> weights{8 * many * many, 8 * many, 8};
  std::vector<std::ptrdiff_t> parts;
  for (std::ptrdiff_t at = 0; at < what.length(dim); ++at) {
    const std::ptrdiff_t global = global_index(what, where, dim, at);
    parts.push_back(global < 0 ? -1 : global * weights[dim]);
  }
  return parts;
}

/// Calls `body(cell, is_inner, number)`. The number is the mark for cells that no neighbour fills.
template <class Body>
void for_all(const problem& what, const place& where, const fields& all, const Body& body) {
  const auto along_i = parts_of(what, where, 0);
  const auto along_j = parts_of(what, where, 1);
  const auto along_k = parts_of(what, where, 2);
  const auto is_inner = [&](std::size_t dim, std::size_t at) {
    return static_cast<std::ptrdiff_t>(at) >= what.width &&
           static_cast<std::ptrdiff_t>(at) < what.width + what.size[dim];
  };
  const auto row_length = static_cast<std::size_t>(all.row_length);
  for (std::size_t f = 0; f < all.data.size(); ++f) {
    double* row = all.data[f];
    for (std::size_t i = 0; i < along_i.size(); ++i) {
      for (std::size_t j = 0; j < along_j.size(); ++j, row += row_length) {
        const bool is_inner_row = is_inner(0, i) && is_inner(1, j);
        const bool exists = along_i[i] >= 0 && along_j[j] >= 0;
        const std::ptrdiff_t base = along_i[i] + along_j[j] + static_cast<std::ptrdiff_t>(f);
        for (std::size_t k = 0; k < along_k.size(); ++k) {
          body(row[k],
               is_inner_row && is_inner(2, k),
               exists && along_k[k] >= 0 ? static_cast<double>(base + along_k[k]) : mark);
        }
      }
    }
  }
}

}  // namespace

void fill(const problem& what, const place& where, const fields& all) {
  for_all(what, where, all, [](double& cell, bool is_inner, double number) {
    cell = is_inner ? number : mark;
  });
}

std::string mismatch(const problem& what, const place& where, const fields& all) {
  std::string found;
  std::size_t index = 0;
  for_all(what, where, all, [&](double cell, bool /*is_inner*/, double number) {
    if (cell != number && found.empty()) {
      found = "cell " + std::to_string(index) + " of rank " + std::to_string(where.rank) + " is " +
              std::to_string(cell) + ", expected " + std::to_string(number);
    }
    ++index;
  });
  return found;
}

own_fields::own_fields(const problem& what) {
  all_.row_length = what.length(2);
  for (int n = 0; n < what.num_fields; ++n) {
    memory_.emplace_back(static_cast<std::size_t>(what.length(0) * what.length(1)) *
                         static_cast<std::size_t>(what.length(2)));
    all_.data.push_back(memory_.back().data());
  }
}

}  // namespace weft::lab::halo_bench
