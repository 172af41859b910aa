// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cells that know where in the world they are.
#include "lab/mpi/halo/problem.hpp"

#include <array>
#include <cstddef>
#include <string>

namespace weft::lab::halo_bench {
namespace {

constexpr double mark = -1;

/// Where along one dimension of the whole world a cell lies, -1: beyond a boundary.
std::ptrdiff_t global_index(const problem& what,
                            const place& where,
                            std::size_t dim,
                            std::ptrdiff_t local) {
  const std::ptrdiff_t length = what.size * where.dims[dim];
  const std::ptrdiff_t global = where.coords[dim] * what.size + local - what.width;
  if (what.is_periodic) {
    return (global + length) % length;
  }
  return global < 0 || global >= length ? -1 : global;
}

double number_of(const std::array<std::ptrdiff_t, 3>& global, std::size_t field) {
  constexpr std::ptrdiff_t many = 4096;
  return static_cast<double>(((global[0] * many + global[1]) * many + global[2]) * 8) +
         static_cast<double>(field);
}

/// Calls `body(cell, is_inner, number)`, whose number is the mark where nothing has to arrive.
template <class Body>
void for_all(const problem& what, const place& where, const fields& all, const Body& body) {
  const std::ptrdiff_t length = what.length();
  const auto is_inner = [&](std::ptrdiff_t at) {
    return at >= what.width && at < what.width + what.size;
  };
  for (std::size_t f = 0; f < all.data.size(); ++f) {
    for (std::ptrdiff_t i = 0; i < length; ++i) {
      for (std::ptrdiff_t j = 0; j < length; ++j) {
        for (std::ptrdiff_t k = 0; k < length; ++k) {
          const std::array<std::ptrdiff_t, 3> global{global_index(what, where, 0, i),
                                                     global_index(what, where, 1, j),
                                                     global_index(what, where, 2, k)};
          const bool exists = global[0] >= 0 && global[1] >= 0 && global[2] >= 0;
          body(all.data[f][(i * length + j) * all.row_length + k],
               is_inner(i) && is_inner(j) && is_inner(k),
               exists ? number_of(global, f) : mark);
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
  const std::ptrdiff_t length = what.length();
  all_.row_length = length;
  for (int n = 0; n < what.num_fields; ++n) {
    memory_.emplace_back(static_cast<std::size_t>(length * length * length));
    all_.data.push_back(memory_.back().data());
  }
}

}  // namespace weft::lab::halo_bench
