// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of the world that each rank has, and one field that gathers all parts.
#include "weft/halo/global.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>
#include <vector>

#include <mpi.h>

#include "weft/halo/axis.hpp"
#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/error.hpp"

#include "halo/fields/copy.hpp"
#include "halo/plan/agree.hpp"
#include "halo/plan/plan.hpp"
#include "halo/transport/message_links.hpp"

namespace weft::halo::detail {
namespace {

using cells = std::array<std::ptrdiff_t, max_dims>;

std::string extents(const cells& all, std::size_t num_dims) {
  std::string text;
  for (std::size_t d = 0; d < num_dims; ++d) {
    text += (d == 0 ? "" : "x") + std::to_string(all[d]);
  }
  return text;
}

std::vector<cells> everybodys(const grid& processes, const cells& own) {
  processes.require_mpi();
  std::vector<cells> all(static_cast<std::size_t>(processes.size()));
  check_mpi(MPI_Allgather(
                own.data(), max_dims, MPI_AINT, all.data(), max_dims, MPI_AINT, processes.comm()),
            "MPI_Allgather");
  return all;
}

cells inner_cells(const std::array<axis, max_dims>& axes) {
  cells found{};
  for (std::size_t d = 0; d < max_dims; ++d) {
    found[d] = axes[d].size();
  }
  return found;
}

/// Collective: rejects a root that does not exist or is not the same on all ranks.
refusal no_root(const grid& processes, int root) {
  processes.require_mpi();
  std::array<int, 2> most{root, ~root};
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, most.data(), 2, MPI_INT, MPI_MAX, processes.comm()),
            "MPI_Allreduce");
  if (root < 0 || root >= processes.size()) {
    return {"root is rank " + std::to_string(root) + ", which is none of 0 .. " +
                std::to_string(processes.size() - 1),
            errc::bad_field};
  }
  if (most[0] != ~most[1]) {
    return {"ranks name different roots, from " + std::to_string(~most[1]) + " to " +
                std::to_string(most[0]) + "; pass the same on all of them",
            errc::ranks_disagree};
  }
  return {};
}

}  // namespace

division divide(const grid& processes,
                const std::array<axis, max_dims>& own,
                const std::source_location& where) {
  const std::vector<cells> sizes = everybodys(processes, inner_cells(own));
  division made;
  made.parts.resize(sizes.size());
  refusal trouble;
  for (std::size_t d = 0; d < processes.num_dims(); ++d) {
    const auto along = static_cast<std::size_t>(processes.maps_to()[d]);
    // The width at each position along this dimension, as the first rank there has it.
    std::vector<std::ptrdiff_t> width(static_cast<std::size_t>(processes.dims()[along]), -1);
    std::vector<int> of_rank(width.size());
    for (int rank = 0; rank < processes.size(); ++rank) {
      const auto at = static_cast<std::size_t>(processes.coords_of(rank)[along]);
      const std::ptrdiff_t mine = sizes[static_cast<std::size_t>(rank)][d];
      if (width[at] < 0) {
        width[at] = mine;
        of_rank[at] = rank;
      } else if (width[at] != mine && trouble.why.empty()) {
        trouble = {"ranks " + std::to_string(of_rank[at]) + " and " + std::to_string(rank) +
                       " disagree: axis " + std::to_string(d) + " inner is " +
                       std::to_string(width[at]) + " on rank " + std::to_string(of_rank[at]) +
                       ", " + std::to_string(mine) + " on rank " + std::to_string(rank) +
                       ", which lies at the same place along it",
                   errc::ranks_disagree};
      }
    }
    made.world[d] = 0;
    for (const std::ptrdiff_t each : width) {
      made.world[d] += each;
    }
    for (int rank = 0; rank < processes.size(); ++rank) {
      part_of_world& part = made.parts[static_cast<std::size_t>(rank)];
      const auto at = static_cast<std::ptrdiff_t>(processes.coords_of(rank)[along]);
      part.cells[d] = sizes[static_cast<std::size_t>(rank)][d];
      for (std::ptrdiff_t before = 0; before < at; ++before) {
        part.first[d] += width[static_cast<std::size_t>(before)];
      }
    }
  }
  refuse_together(processes, trouble, where);
  return made;
}

void check_root(const grid& processes,
                int root,
                const division& whole,
                const std::array<axis, max_dims>& all,
                const std::source_location& where) {
  refusal trouble = no_root(processes, root);
  const cells given = inner_cells(all);
  if (trouble.why.empty() && processes.rank() == root && given != whole.world) {
    trouble = {"the array of rank " + std::to_string(root) + " has " +
                   extents(given, processes.num_dims()) + " inner cells, the ranks together have " +
                   extents(whole.world, processes.num_dims()),
               errc::bad_field};
  }
  refuse_together(processes, trouble, where);
}

void broadcast(const grid& processes,
               int root,
               const shape& field,
               std::byte* data,
               const std::source_location& where) {
  piece what{.in_index_order = true};
  for (std::size_t d = 0; d < field.num_dims; ++d) {
    what.first[d] = field.axes[d].begin;
    what.cells[d] = field.axes[d].size();
  }
  refusal trouble = no_root(processes, root);
  if (trouble.why.empty() && data == nullptr) {
    trouble = {"the field is a null pointer", errc::bad_field};
  }
  refuse_together(processes, trouble, where);
  std::array<std::int64_t, max_dims + 2> told{};
  std::ranges::copy(what.cells, told.begin());
  told[max_dims] = static_cast<std::int64_t>(field.element_bytes);
  told[max_dims + 1] = static_cast<std::int64_t>(field.type);
  const auto own = told;
  check_mpi(MPI_Bcast(told.data(), told.size(), MPI_INT64_T, root, processes.comm()), "MPI_Bcast");
  if (told != own) {
    const cells theirs{told[0], told[1], told[2], told[3]};
    trouble = {"ranks " + std::to_string(root) + " and " + std::to_string(processes.rank()) +
                   " disagree: rank " + std::to_string(root) + " broadcasts " +
                   extents(theirs, field.num_dims) + " cells of " + std::to_string(told[max_dims]) +
                   " B, rank " + std::to_string(processes.rank()) + " has " +
                   extents(what.cells, field.num_dims) + " of " + std::to_string(own[max_dims]) +
                   " B" + (told[max_dims] == own[max_dims] ? ", or of another type" : ""),
               errc::ranks_disagree};
  }
  const box_copy to_all = copy_of(field, what, true);
  unfilled_bytes packed;
  if (trouble.why.empty() && !to_all.is_contiguous()) {
    const auto make = [&] { packed = unfilled_bytes(static_cast<std::size_t>(to_all.bytes())); };
    trouble = trouble_of(make, errc::unsupported);
  }
  refuse_together(processes, trouble, where);
  // Counted in bytes, equal on all ranks: Open MPI splits a broadcast by each rank's own count
  // (github.com/open-mpi/ompi/issues/10523), and layouts may differ.
  const counted_type all = counted_bytes(to_all.bytes());
  std::byte* const cells_of_all =
      to_all.is_contiguous() ? data + offset_of(field, what.first) : packed.data();
  if (processes.rank() == root && !to_all.is_contiguous()) {
    run({.first = to_all}, cells_of_all, data);
  }
  check_mpi(MPI_Bcast(cells_of_all, all.count, all.type(), root, processes.comm()), "MPI_Bcast");
  if (processes.rank() != root && !to_all.is_contiguous()) {
    run({.first = copy_of(field, what, false)}, data, cells_of_all);
  }
}

}  // namespace weft::halo::detail
