// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays of the whole world: scattered over its ranks, gathered from them, broadcast to them.
#pragma once

#include <array>
#include <cstddef>
#include <source_location>
#include <vector>

#include "weft/halo/axis.hpp"
#include "weft/halo/blocks.hpp"
#include "weft/halo/cart.hpp"
#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/exchange.hpp"
#include "weft/halo/exchange_any.hpp"
#include "weft/halo/options.hpp"

namespace weft::halo {

namespace detail {

/// Inner cells of one rank in the array of the whole world.
struct part_of_world {
  std::array<std::ptrdiff_t, max_dims> first{};
  std::array<std::ptrdiff_t, max_dims> cells{};
};

struct division {
  std::array<std::ptrdiff_t, max_dims> world{1, 1, 1, 1};  // cells
  std::vector<part_of_world> parts;                        // per rank
};

/// From all ranks' inner widths. Collective. Errors: `halo::error` (`ranks_disagree`) on all ranks
/// where widths along one line of processes do not match those of another.
[[nodiscard]] division divide(const grid& processes,
                              const std::array<axis, max_dims>& own,
                              const std::source_location& where);

/// Collective. Errors: `halo::error` (`bad_field`) on all ranks unless `all`, which only `root`
/// has, has as many inner cells as the world.
void check_root(const grid& processes,
                int root,
                const division& whole,
                const std::array<axis, max_dims>& all,
                const std::source_location& where);

/// Collective: inner cells of `field` become those of `root`.
void broadcast(const grid& processes,
               int root,
               const shape& field,
               std::byte* data,
               const std::source_location& where);

template <std::size_t num_dims>
block<num_dims> block_of(const part_of_world& part, const axes<num_dims>& all) {
  block<num_dims> made;
  for (std::size_t d = 0; d < num_dims; ++d) {
    made.first[d] = all[d].begin + part.first[d];
    made.cells[d] = part.cells[d];
  }
  return made;
}

/// Between `all` on `root` and the inner cells of `own` on all ranks, whichever way.
template <std::size_t num_dims, class All, class Own>
void move_parts(const cart<num_dims>& grid,
                int root,
                const All& all,
                const Own& own,
                bool is_scatter,
                const std::source_location& where) {
  const auto whole_view = view_of(all);
  const auto own_view = view_of(own);
  const division whole = divide(*grid.shared_grid(), own_view.shape().axes, where);
  check_root(*grid.shared_grid(), root, whole, whole_view.shape().axes, where);
  // For once: memory to share would cost more than it saves.
  blocks<num_dims> moved(grid, {.transport = transport::messages});
  if (grid.rank() == root) {
    for (int rank = 0; rank < grid.size(); ++rank) {
      const auto part =
          block_of<num_dims>(whole.parts[static_cast<std::size_t>(rank)], whole_view.box);
      is_scatter ? moved.send(whole_view, part, rank) : moved.receive(whole_view, part, rank);
    }
  }
  const block<num_dims> mine = inner_block(own_view.box);
  is_scatter ? moved.receive(own_view, mine, root) : moved.send(own_view, mine, root);
  moved.exchange(where);
}

}  // namespace detail

/// Where the inner cells of this rank lie in the array of the whole world, and how large that is.
template <std::size_t num_dims>
struct world_part {
  block<num_dims> own;
  std::array<std::ptrdiff_t, num_dims> world{};
};

/// Adds up the inner widths of all ranks.
///
/// Threads: collective over the grid.
/// Errors:  `halo::error` (`ranks_disagree`) on all ranks if widths along one line of processes do
///          not match those along another.
/// Example: tests/halo/blocks_test.cpp: scatter_and_gather_are_inverse.
template <std::size_t num_dims>
[[nodiscard]] world_part<num_dims> part_of_world(
    const cart<num_dims>& grid,
    const axes<num_dims>& box,
    std::source_location where = std::source_location::current()) {
  std::array<axis, detail::max_dims> own{};
  for (std::size_t d = 0; d < num_dims; ++d) {
    own[d] = box[d];
  }
  const detail::division whole = detail::divide(*grid.shared_grid(), own, where);
  const detail::part_of_world& mine = whole.parts[static_cast<std::size_t>(grid.rank())];
  world_part<num_dims> found;
  for (std::size_t d = 0; d < num_dims; ++d) {
    found.own.first[d] = mine.first[d];
    found.own.cells[d] = mine.cells[d];
    found.world[d] = whole.world[d];
  }
  return found;
}

/// Copies each rank's part of the inner cells of `all` from rank `root` to the inner cells of
/// `own`.
///
/// Only `root` reads `all`; other ranks may pass an empty `field_view`.
///
/// Layouts, padding and halos of the two may differ. Halos are left as they are.
/// Cost:    plans each time; `blocks` keeps what it planned. One message per rank but `root`.
/// Threads: collective over the grid.
/// Errors:  `halo::error` on all ranks. `bad_field`: `all` has more or fewer inner cells than the
///          ranks together. `ranks_disagree`: cells of another type.
/// Example: tests/halo/blocks_test.cpp: scatter_and_gather_are_inverse.
template <std::size_t num_dims, any_field<num_dims> All, any_field<num_dims> Own>
void scatter(const cart<num_dims>& grid,
             int root,
             const All& all,
             const Own& own,
             std::source_location where = std::source_location::current()) {
  detail::move_parts(grid, root, all, own, true, where);
}

/// The other way: the inner cells of `all` on `root` become those of all ranks' `own`.
template <std::size_t num_dims, any_field<num_dims> Own, any_field<num_dims> All>
void gather(const cart<num_dims>& grid,
            int root,
            const Own& own,
            const All& all,
            std::source_location where = std::source_location::current()) {
  detail::move_parts(grid, root, all, own, false, where);
}

/// The inner cells of `field` become those that they are on `root`, on all ranks.
///
/// Layouts, padding and halos may differ between ranks. Halos are left as they are.
/// Cost:    one MPI_Bcast of the inner cells, which are copied first, and need as much room, where
///          they do not lie side by side.
/// Threads: collective over the grid.
/// Errors:  `halo::error` (`ranks_disagree`) on all ranks for other inner widths or another type.
/// Example: tests/halo/blocks_test.cpp: broadcast_fills_inner_cells.
template <std::size_t num_dims, any_field<num_dims> Field>
void broadcast(const cart<num_dims>& grid,
               int root,
               const Field& field,
               std::source_location where = std::source_location::current()) {
  const auto view = detail::view_of(field);
  detail::broadcast(*grid.shared_grid(), root, view.shape(), detail::bytes_of(view.data), where);
}

}  // namespace weft::halo
