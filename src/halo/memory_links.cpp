// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Flags and copies between ranks of one node.
#include "halo/memory_links.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include <mpi.h>

#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/options.hpp"

#include "halo/agree.hpp"
#include "halo/copy.hpp"
#include "halo/copy_list.hpp"
#include "halo/plan.hpp"

namespace weft::halo::detail {
namespace {

constexpr std::size_t line_bytes = 128;  // two cache lines: processors fetch them in pairs

std::size_t in_lines(std::size_t bytes) {
  return (bytes + line_bytes - 1) / line_bytes * line_bytes;
}

std::vector<sweep> sweeps_of(const std::vector<box_copy>& boxes, flow way) {
  if (way == flow::owner_to_halo) {
    return paired(boxes);
  }
  std::vector<sweep> single;
  single.reserve(boxes.size());
  for (const box_copy& each : boxes) {
    single.push_back({.first = each});
  }
  return single;
}

box_side in_field(const shape& field, const piece& what) {
  return {.offset = offset_of(field, what.first), .strides = field.strides};
}

box_side in_buffer(const shape& field, const piece& what) {
  return {.offset = what.buffer_offset, .strides = packed_strides(field, what)};
}

/// From the peer into one of the fields.
struct incoming {
  const std::vector<sweep>& sweeps;
  const std::byte* from;
  std::size_t field;
  std::size_t element_bytes;
};

/// Runs sweeps as copies, or combines.
void apply(const incoming& what, const arrival& into) {
  std::byte* const to = into.fields[what.field];
  for (const sweep& each : what.sweeps) {
    if (into.how.empty()) {
      into.copies.add(each, to, what.from);
    } else {
      run(each.first, to, what.from, into.how[what.field], what.element_bytes);
    }
  }
}

}  // namespace

bool uses_memory(const grid& processes, const exchange_options& options) {
  return processes.node_size() > 1 && options.transport == transport::automatic &&
         options.packing != packing::mpi_pack && options.packing != packing::mpi_datatype;
}

node_area::node_area(const grid& processes, std::size_t num_fields, std::ptrdiff_t staging_bytes)
    : num_ranks_(static_cast<std::size_t>(processes.node_size())), num_fields_(num_fields) {
  memory_ = std::make_unique<node_memory>(
      processes.node_comm(), staging_at() + 2 * static_cast<std::size_t>(staging_bytes));
  const int own = processes.node_rank();
  std::memset(memory_->of(own), 0, staging_at());
  for (const std::uint64_t exchange : {0U, 1U}) {
    for (place& each : places(own, exchange)) {
      each = {};
    }
  }
  // Nobody looks before all have begun with zeros.
  check_mpi(MPI_Barrier(processes.node_comm()), "MPI_Barrier");
}

std::size_t node_area::places_at() const { return line_bytes * (1 + num_ranks_); }

std::size_t node_area::staging_at() const {
  return in_lines(places_at() + 2 * in_lines(num_fields_ * sizeof(place)));
}

std::uint64_t& node_area::ready(int node_rank) const {
  return *std::launder(reinterpret_cast<std::uint64_t*>(memory_->of(node_rank)));
}

std::uint64_t& node_area::done(int owner, int reader) const {
  return *std::launder(reinterpret_cast<std::uint64_t*>(
      memory_->of(owner) + line_bytes * (1 + static_cast<std::size_t>(reader))));
}

std::span<place> node_area::places(int node_rank, std::uint64_t exchange) const {
  std::byte* const at =
      memory_->of(node_rank) + places_at() + (exchange % 2) * in_lines(num_fields_ * sizeof(place));
  return {std::launder(reinterpret_cast<place*>(at)), num_fields_};
}

std::byte* node_area::staging(int node_rank,
                              std::uint64_t exchange,
                              std::ptrdiff_t area_bytes) const {
  return memory_->of(node_rank) + staging_at() +
         static_cast<std::ptrdiff_t>(exchange % 2) * area_bytes;
}

memory_link::memory_link(const grid& processes,
                         const agenda& about,
                         std::size_t phase,
                         const link& what,
                         std::ptrdiff_t own_region,
                         const peer_facts& peer)
    : node_rank_(what.node_rank),
      own_node_rank_(processes.node_rank()),
      own_region_(own_region),
      peer_area_bytes_(peer.staging_bytes),
      peer_region_(peer.regions[phase]) {
  const bool sends_halo = about.way == flow::halo_to_owner;
  for (std::size_t field = 0; field < about.fields.size(); ++field) {
    const shape& own = about.fields[field];
    std::vector<box_copy> push;
    std::vector<box_copy> from_buffer;
    std::vector<box_copy> from_field;
    for (const piece& each : what.out) {
      if (each.field == field) {
        push.push_back(
            make_copy(own.element_bytes, each.cells, in_buffer(own, each), in_field(own, each)));
      }
    }
    for (const piece& each : what.in) {
      if (each.field == field) {
        const shape& their = peer.fields[field];
        const piece source = piece_of(processes,
                                      their,
                                      opposite(each.towards),
                                      about.what.phases[phase].extended,
                                      sends_halo);
        from_buffer.push_back(
            make_copy(own.element_bytes, each.cells, in_field(own, each), in_buffer(own, each)));
        from_field.push_back(
            make_copy(own.element_bytes, each.cells, in_field(own, each), in_field(their, source)));
      }
    }
    fields_.push_back({.field = field,
                       .element_bytes = own.element_bytes,
                       .push = paired(push),
                       .from_buffer = sweeps_of(from_buffer, about.way),
                       .from_field = sweeps_of(from_field, about.way),
                       .seen = {}});
  }
}

void memory_link::push(std::span<std::byte* const> fields,
                       std::span<const place> places,
                       std::byte* staging,
                       copy_list& copies) const {
  for (const field_sweeps& each : fields_) {
    if (places[each.field].segment < 0) {
      for (const sweep& what : each.push) {
        copies.add(what, staging + own_region_, fields[each.field]);
      }
    }
  }
}

bool memory_link::is_here(const node_area& area, std::uint64_t step) const {
  // acquire: pairs with the release in publish(); what the peer wrote before is seen here
  return std::atomic_ref(area.ready(node_rank_)).load(std::memory_order_acquire) >= step;
}

void memory_link::find_base(const grid& processes, field_sweeps& of, const place& where) const {
  if (of.base != nullptr && of.generation == processes.generation() &&
      of.seen.segment == where.segment && of.seen.offset == where.offset) {
    return;
  }
  of.base = processes.shared_memory(where.segment, node_rank_) + where.offset;
  of.seen = where;
  of.generation = processes.generation();
}

std::size_t memory_link::num_copies() const noexcept {
  std::size_t num = 0;
  for (const field_sweeps& each : fields_) {
    num += std::max({each.push.size(), each.from_buffer.size(), each.from_field.size()});
  }
  return num;
}

void memory_link::pull(const grid& processes,
                       const node_area& area,
                       const arrival& into,
                       const moment& now) {
  const std::span<const place> places = area.places(node_rank_, now.exchange);
  const std::byte* const staging =
      area.staging(node_rank_, now.exchange, peer_area_bytes_) + peer_region_;
  bool has_read_fields = false;
  for (field_sweeps& each : fields_) {
    const place where = places[each.field];
    if (where.segment < 0) {
      apply({each.from_buffer, staging, each.field, each.element_bytes}, into);
    } else {
      has_read_fields = true;
      find_base(processes, each, where);
      apply({each.from_field, each.base, each.field, each.element_bytes}, into);
    }
  }
  into.copies.run();
  if (has_read_fields) {
    // release: pairs with the acquire in is_read(); the owner may write only what was read before
    std::atomic_ref(area.done(node_rank_, own_node_rank_))
        .store(now.step, std::memory_order_release);
  }
}

bool memory_link::is_read(const node_area& area, std::uint64_t step) const {
  // acquire: pairs with the release in pull()
  return std::atomic_ref(area.done(own_node_rank_, node_rank_)).load(std::memory_order_acquire) >=
         step;
}

}  // namespace weft::halo::detail
