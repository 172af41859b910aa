// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The data that ranks exchange about their boxes before the first transfer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <span>
#include <vector>

#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/detail/transfer.hpp"
#include "weft/halo/options.hpp"

#include "halo/plan/plan.hpp"

namespace weft::halo::detail {

/// The message of one rank to another one.
struct letter {
  int peer = -1;
  std::vector<std::int64_t> words = {};
};

/// Sends the letters in `out`, and receives those in `in`, whose sizes are known.
/// Threads: each letter needs its sender and its receiver.
void swap_letters(const grid& processes, std::vector<letter>& out, std::vector<letter>& in);

/// Returns the number of transfers to, or from, each rank.
[[nodiscard]] std::vector<int> num_by_peer(const grid& processes, const std::vector<transfer>& all);

/// Returns the fields that have cells to transfer, ascending.
[[nodiscard]] std::vector<std::size_t> moved_fields(const transfers& what);

/// Reports which of the fields `moved` is a null pointer.
[[nodiscard]] refusal null_field(const std::vector<std::size_t>& moved,
                                 std::span<std::byte* const> pointers);

/// Whether this rank itself reads or writes cells, which then must not be in a GPU's memory;
/// otherwise only MPI does. The named ranks must exist.
[[nodiscard]] bool host_copies(const grid& processes,
                               const exchange_options& options,
                               const transfers& what);

/// Threads: collective.
/// Errors:  on all ranks if the announced boxes are not the expected ones, or lie outside their
///          field.
void agree(const grid& processes,
           const exchange_options& options,
           std::span<const shape> fields,
           const transfers& what,
           const std::source_location& where);

/// In messages, and in staging areas: cells in index order, whatever the layout.
[[nodiscard]] piece piece_of(const transfer& what, const shape& field);

}  // namespace weft::halo::detail
