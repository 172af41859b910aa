// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Processes arranged in a grid of 1 to 4 dimensions, and their neighbours.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <source_location>
#include <string>

#include <mpi.h>

#include "weft/halo/detail/grid.hpp"
#include "weft/halo/error.hpp"

namespace weft::halo {

namespace detail {
template <std::size_t num_dims>
constexpr std::array<int, num_dims> in_order() {
  std::array<int, num_dims> order{};
  for (std::size_t d = 0; d < num_dims; ++d) {
    order[d] = static_cast<int>(d);
  }
  return order;
}

template <class Value, std::size_t num_dims>
constexpr std::array<Value, max_dims> widened(const std::array<Value, num_dims>& from, Value rest) {
  std::array<Value, max_dims> made{};
  made.fill(rest);
  for (std::size_t d = 0; d < num_dims; ++d) {
    made[d] = from[d];
  }
  return made;
}

template <std::size_t num_dims, class Value>
constexpr std::array<Value, num_dims> narrowed(const std::array<Value, max_dims>& from) {
  std::array<Value, num_dims> made{};
  for (std::size_t d = 0; d < num_dims; ++d) {
    made[d] = from[d];
  }
  return made;
}
}  // namespace detail

/// A number of processes that MPI chooses, as MPI_Dims_create does.
inline constexpr int any_number = 0;

/// How processes are arranged.
template <std::size_t num_dims>
struct cart_options {
  /// Processes along each dimension of the grid, or `any_number`, which is the default.
  std::array<int, num_dims> dims{};
  std::array<bool, num_dims> periodic{};  // for each dimension of the data
  std::array<int, num_dims> maps_to = detail::in_order<num_dims>();  // data dimension d lies along
                                                                     // grid dimension maps_to[d]
};

/// A grid of processes. Copies are the same grid.
///
/// Threads: construction and the end of the last copy are collective over the communicator.
/// Cost:    duplicates the communicator; neighbours are looked up once, later calls ask no MPI.
/// Errors:  `halo::error` on all ranks: an arrangement that cannot be (`bad_grid`), or that is not
///          the same on all ranks (`ranks_disagree`, with both values).
/// Source:  Bianco, "An interface for halo exchange pattern", section 4, for `maps_to`.
/// Example: tests/halo/errors_test.cpp: an_adopted_communicator_of_other_dimensions.
template <std::size_t num_dims>
class cart {
  static_assert(num_dims >= 1 && num_dims <= detail::max_dims, "a grid has 1 to 4 dimensions");

 public:
  /// Arranges the processes of `comm` in row-major order.
  explicit cart(MPI_Comm comm,
                const cart_options<num_dims>& options = {},
                std::source_location where = std::source_location::current())
      : cart(comm, request(options), where) {}

  /// Takes the arrangement and the periodicity of a Cartesian communicator.
  [[nodiscard]] static cart adopt(MPI_Comm cartesian,
                                  std::source_location where = std::source_location::current()) {
    detail::grid_request what = request({});
    what.adopts = true;
    what.takes_periodicity = true;
    return cart(cartesian, what, where);
  }
  /// The same with the periodicity and the map of `options`; the communicator's own do not count.
  [[nodiscard]] static cart adopt(MPI_Comm cartesian,
                                  const cart_options<num_dims>& options,
                                  std::source_location where = std::source_location::current()) {
    detail::grid_request what = request(options);
    what.adopts = true;
    return cart(cartesian, what, where);
  }

  [[nodiscard]] int rank() const noexcept { return grid_->rank(); }
  [[nodiscard]] int size() const noexcept { return grid_->size(); }
  /// Along the dimensions of the grid.
  [[nodiscard]] std::array<int, num_dims> dims() const {
    return detail::narrowed<num_dims>(grid_->dims());
  }
  [[nodiscard]] std::array<int, num_dims> coords() const {
    return detail::narrowed<num_dims>(grid_->coords());
  }
  /// Along a dimension of the data.
  [[nodiscard]] int num_processes(std::size_t data_dim) const {
    return grid_->num_processes(data_dim);
  }
  [[nodiscard]] int position(std::size_t data_dim) const {
    return grid_->coords()[static_cast<std::size_t>(grid_->maps_to()[data_dim])];
  }
  [[nodiscard]] bool is_periodic(std::size_t data_dim) const {
    return grid_->is_periodic(data_dim);
  }
  /// The rank that owns the cells in direction `towards`, each -1, 0 or 1 per dimension of the
  /// data; empty beyond a non-periodic boundary. May be this rank itself.
  [[nodiscard]] std::optional<int> neighbour(const std::array<int, num_dims>& towards) const {
    const int found = grid_->neighbour(detail::widened(towards, 0));
    return found < 0 ? std::nullopt : std::optional<int>(found);
  }
  template <int... towards>
  [[nodiscard]] std::optional<int> neighbour() const {
    static_assert(sizeof...(towards) == num_dims, "one number per dimension");
    static_assert(((towards >= -1 && towards <= 1) && ...), "each number is -1, 0 or 1");
    return neighbour(std::array<int, num_dims>{towards...});
  }
  /// The rank at these coordinates, along the dimensions of the grid.
  /// Errors: `halo::error` (`bad_grid`) for coordinates outside of it.
  [[nodiscard]] int rank_of(const std::array<int, num_dims>& coords,
                            std::source_location where = std::source_location::current()) const {
    const std::array<int, detail::max_dims> wide = detail::widened(coords, 0);
    for (std::size_t d = 0; d < num_dims; ++d) {
      if (wide[d] < 0 || wide[d] >= grid_->dims()[d]) {
        throw error(errc::bad_grid,
                    "coordinate " + std::to_string(d) + " is " + std::to_string(wide[d]) +
                        "; the grid has 0 .. " + std::to_string(grid_->dims()[d] - 1),
                    std::nullopt,
                    where);
      }
    }
    return grid_->rank_at(wide);
  }
  /// The grid's own duplicate.
  [[nodiscard]] MPI_Comm communicator() const noexcept { return grid_->comm(); }

  /// For the other headers of this module.
  [[nodiscard]] const std::shared_ptr<detail::grid>& shared_grid() const noexcept { return grid_; }

 private:
  cart(MPI_Comm comm, const detail::grid_request& what, const std::source_location& where)
      : grid_(std::make_shared<detail::grid>(comm, what, where)) {}

  static detail::grid_request request(const cart_options<num_dims>& options) {
    return {.num_dims = num_dims,
            .dims = detail::widened(options.dims, 1),
            .periodic = detail::widened(options.periodic, false),
            .maps_to = detail::widened(options.maps_to, 0)};
  }

  std::shared_ptr<detail::grid> grid_;
};

}  // namespace weft::halo
