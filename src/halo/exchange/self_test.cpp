// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a plan on cells whose values are their positions in the world, and so finds wrong maps,
// layouts and descriptors.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <string>
#include <vector>

#include <mpi.h>

#include "weft/halo/axis.hpp"
#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/error.hpp"
#include "weft/halo/options.hpp"

#include "halo/exchange/running_exchange.hpp"
#include "halo/plan/agree.hpp"
#include "halo/plan/plan.hpp"

namespace weft::halo::detail {
namespace {

using cell = std::array<std::ptrdiff_t, max_dims>;

/// The position of a rank's inner cells in the world, for one field.
struct region_of_rank {
  cell first{};
  cell world{};
};

/// Computed from all ranks' sizes and coordinates, independently of the neighbour tables.
region_of_rank region_of(const grid& processes, const shape& field) {
  cell own{};
  for (std::size_t d = 0; d < field.num_dims; ++d) {
    own[d] = field.axes[d].size();
  }
  const auto num_ranks = static_cast<std::size_t>(processes.size());
  std::vector<cell> sizes(num_ranks);
  std::vector<std::array<int, max_dims>> coords(num_ranks);
  const auto& here = processes.coords();
  check_mpi(MPI_Allgather(
                own.data(), max_dims, MPI_AINT, sizes.data(), max_dims, MPI_AINT, processes.comm()),
            "MPI_Allgather");
  check_mpi(MPI_Allgather(
                here.data(), max_dims, MPI_INT, coords.data(), max_dims, MPI_INT, processes.comm()),
            "MPI_Allgather");
  region_of_rank found;
  for (std::size_t d = 0; d < field.num_dims; ++d) {
    const auto along = static_cast<std::size_t>(processes.maps_to()[d]);
    for (std::size_t rank = 0; rank < num_ranks; ++rank) {
      auto same_line = coords[rank];
      same_line[along] = here[along];
      if (same_line == here) {
        found.world[d] += sizes[rank][d];
        found.first[d] += coords[rank][along] < here[along] ? sizes[rank][d] : 0;
      }
    }
  }
  return found;
}

std::uint64_t number_of(const cell& where, std::size_t field) {
  std::uint64_t hash = 0x9e3779b97f4a7c15U + field;
  for (const std::ptrdiff_t each : where) {
    hash = (hash ^ static_cast<std::uint64_t>(each)) * 0xff51afd7ed558ccdU;
    hash ^= hash >> 32U;
  }
  return hash;
}

enum class kind : std::uint8_t { inner, filled, other };

struct known_cell {
  kind what;
  std::uint64_t number;
};

class tried_field {
 public:
  tried_field(const grid& processes, directions which, const shape& field, std::size_t index)
      : processes_(processes),
        which_(which),
        field_(field),
        index_(index),
        region_(region_of(processes, field)) {
    std::ptrdiff_t last = 0;
    for (std::size_t d = 0; d < field.num_dims; ++d) {
      const std::ptrdiff_t reach = (field.axes[d].length - 1) * field.strides[d];
      (reach < 0 ? lowest_ : last) += reach;
    }
    memory_.resize(static_cast<std::size_t>(last - lowest_) + field.element_bytes);
  }

  std::byte* data() { return memory_.data() - lowest_; }

  void fill() {
    for_all([&](const cell& at, std::byte* bytes) {
      const known_cell known = what_is(at);
      write(bytes, known.what == kind::inner ? known.number : mark);
    });
  }
  std::string mismatch() {
    std::string found;
    std::vector<std::byte> expected(field_.element_bytes);
    for_all([&](const cell& at, const std::byte* bytes) {
      const known_cell known = what_is(at);
      write(expected.data(), known.what == kind::other ? mark : known.number);
      if (found.empty() && std::memcmp(bytes, expected.data(), expected.size()) != 0) {
        found = "rank " + std::to_string(processes_.rank()) + ": self test: cell (";
        for (std::size_t d = 0; d < field_.num_dims; ++d) {
          found += (d == 0 ? "" : ",") + std::to_string(at[d]);
        }
        found += ") of field " + std::to_string(index_) +
                 (known.what == kind::filled ? " has not the value of its owner"
                                             : " was changed though nobody owns it elsewhere");
      }
    });
    return found;
  }

 private:
  static constexpr std::uint64_t mark = 0xababababababababU;

  void write(std::byte* into, std::uint64_t number) const {
    for (std::size_t n = 0; n < field_.element_bytes; ++n) {
      into[n] = static_cast<std::byte>((number >> (8 * (n % 8))) ^ (n / 8));
    }
  }

  [[nodiscard]] known_cell what_is(const cell& at) const {
    cell where{};
    bool is_owned = true;
    std::size_t num_beyond = 0;
    for (std::size_t d = 0; d < field_.num_dims; ++d) {
      const axis& along = field_.axes[d];
      const std::ptrdiff_t from_begin = at[d] - along.begin;
      const std::ptrdiff_t global = region_.first[d] + from_begin;
      const bool is_beyond = from_begin < 0 || from_begin >= along.size();
      const bool is_outside = global < 0 || global >= region_.world[d];
      num_beyond += is_beyond ? 1 : 0;
      is_owned = is_owned && from_begin >= -along.minus && from_begin < along.size() + along.plus &&
                 (!is_outside || processes_.is_periodic(d));
      where[d] = (global % region_.world[d] + region_.world[d]) % region_.world[d];
    }
    const std::size_t most = which_ == directions::faces         ? 1
                             : which_ == directions::faces_edges ? 2
                                                                 : max_dims;
    if (num_beyond == 0) {
      return {kind::inner, number_of(where, index_)};
    }
    const bool is_filled = is_owned && num_beyond <= most;
    return {is_filled ? kind::filled : kind::other, is_filled ? number_of(where, index_) : mark};
  }

  template <class Body>
  void for_all(const Body& body) {
    cell at{};
    const auto& axes = field_.axes;
    for (at[0] = 0; at[0] < axes[0].length; ++at[0]) {
      for (at[1] = 0; at[1] < axes[1].length; ++at[1]) {
        for (at[2] = 0; at[2] < axes[2].length; ++at[2]) {
          for (at[3] = 0; at[3] < axes[3].length; ++at[3]) {
            body(at, data() + offset_of(field_, at));
          }
        }
      }
    }
  }

  const grid& processes_;
  directions which_;
  const shape& field_;
  std::size_t index_;
  region_of_rank region_;
  std::ptrdiff_t lowest_ = 0;
  std::vector<std::byte> memory_;
};

}  // namespace

void running_exchange::self_test() {
  std::vector<tried_field> tried;
  std::vector<std::byte*> pointers;
  pointers.reserve(fields_.size());
  const auto make = [&] {
    for (std::size_t n = 0; n < fields_.size(); ++n) {
      tried.emplace_back(*processes_, options_.directions, fields_[n], n);
      tried.back().fill();
    }
  };
  refuse_together(
      *processes_, trouble_of(make, errc::unsupported), std::source_location::current());
  for (tried_field& each : tried) {
    pointers.push_back(each.data());
  }
  pack(pointers);
  start();
  finish();
  std::string trouble;
  for (tried_field& each : tried) {
    if (trouble.empty()) {
      trouble = each.mismatch();
    }
  }
  refuse_together(*processes_, {trouble, errc::validation_failed}, std::source_location::current());
}

}  // namespace weft::halo::detail
