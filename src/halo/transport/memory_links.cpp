// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Flags and copies between ranks of one node.
#include "halo/transport/memory_links.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <mpi.h>

#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/options.hpp"

#include "halo/fields/copy.hpp"
#include "halo/fields/copy_list.hpp"
#include "halo/plan/agree.hpp"
#include "halo/plan/plan.hpp"

namespace weft::halo::detail {
namespace {

constexpr std::size_t line_bytes = 128;  // two cache lines: processors fetch them in pairs

std::size_t in_lines(std::size_t bytes) {
  return (bytes + line_bytes - 1) / line_bytes * line_bytes;
}

/// Whether the sender packs cells that the other side could read in place. Cells in narrow rows are
/// packed for two reasons. Whole cache lines would be fetched for few bytes. And the sender has
/// just written the lines that halo and border share. Both sides compute the same result.
bool is_packed(const shape& sender, const piece& what) {
  constexpr std::ptrdiff_t narrow_bytes = 128;
  constexpr std::ptrdiff_t narrow_bytes_apart = 192;
  const box_copy packing =
      make_copy(sender.element_bytes, what.cells, in_buffer(sender, what), in_field(sender, what));
  const bool is_apart = std::abs(packing.from.strides[3]) >= 2 * packing.block_bytes;
  return packing.block_bytes < (is_apart ? narrow_bytes_apart : narrow_bytes);
}

/// Cells from the peer that go into one of the fields.
struct incoming {
  const std::vector<sweep>& sweeps;
  const std::byte* from;
  std::size_t field;
  std::size_t element_bytes;
};

/// Does the sweeps: copies, or combines.
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
  // No rank looks before all have written zeros.
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
  for (std::size_t field = 0; field < about.fields.size(); ++field) {
    field_routes made{.field = field, .element_bytes = about.fields[field].element_bytes};
    add_out(about.fields[field], what, made);
    add_in({processes, about, about.what.phases[phase].extended, what}, peer.fields[field], made);
    fields_.push_back(std::move(made));
  }
}

void memory_link::add_out(const shape& own, const link& what, field_routes& into) {
  std::vector<box_copy> all;
  std::vector<box_copy> packed;
  for (const piece& each : what.out) {
    if (each.field == into.field) {
      all.push_back(
          make_copy(own.element_bytes, each.cells, in_buffer(own, each), in_field(own, each)));
      if (is_packed(own, each)) {
        packed.push_back(all.back());
      } else {
        into.is_read = true;
      }
    }
  }
  into.staged.push = paired(all);
  into.shared.push = paired(packed);
}

void memory_link::add_in(const incoming_link& from, const shape& their, field_routes& into) {
  const shape& own = from.about.fields[into.field];
  std::vector<box_copy> all;
  std::vector<box_copy> packed;
  std::vector<box_copy> read;
  for (const piece& each : from.what.in) {
    if (each.field != into.field) {
      continue;
    }
    const piece source = piece_of(from.processes,
                                  their,
                                  opposite(each.towards),
                                  from.extended,
                                  from.about.way == flow::halo_to_owner);
    all.push_back(
        make_copy(own.element_bytes, each.cells, in_field(own, each), in_buffer(own, each)));
    if (is_packed(their, source)) {
      packed.push_back(all.back());
    } else {
      read.push_back(
          make_copy(own.element_bytes, each.cells, in_field(own, each), in_field(their, source)));
    }
  }
  into.staged.from_buffer = sweeps_of(all, from.about.way);
  into.shared.from_buffer = sweeps_of(packed, from.about.way);
  into.shared.from_field = sweeps_of(read, from.about.way);
}

void memory_link::push(std::span<std::byte* const> fields,
                       std::span<const place> places,
                       std::byte* staging,
                       copy_list& copies) const {
  for (const field_routes& each : fields_) {
    const route& by = places[each.field].segment < 0 ? each.staged : each.shared;
    for (const sweep& what : by.push) {
      copies.add(what, staging + own_region_, fields[each.field]);
    }
  }
}

bool memory_link::is_here(const node_area& area, std::uint64_t step) const {
  // acquire: pairs with the release in publish(); the peer's earlier writes are visible here
  return std::atomic_ref(area.ready(node_rank_)).load(std::memory_order_acquire) >= step;
}

void memory_link::find_base(const grid& processes, field_routes& of, const place& where) const {
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
  for (const field_routes& each : fields_) {
    num += std::max(each.staged.num_copies(), each.shared.num_copies());
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
  for (field_routes& each : fields_) {
    const place where = places[each.field];
    const route& by = where.segment < 0 ? each.staged : each.shared;
    apply({by.from_buffer, staging, each.field, each.element_bytes}, into);
    if (!by.from_field.empty()) {
      has_read_fields = true;
      find_base(processes, each, where);
      apply({by.from_field, each.base, each.field, each.element_bytes}, into);
    }
  }
  into.copies.run();
  if (has_read_fields) {
    // release: pairs with the acquire in is_read(); the owner may overwrite only cells that were
    // read
    std::atomic_ref(area.done(node_rank_, own_node_rank_))
        .store(now.step, std::memory_order_release);
  }
}

bool memory_link::is_read(const node_area& area,
                          std::span<const place> places,
                          std::uint64_t step) const {
  const bool is_awaited = std::ranges::any_of(fields_, [&](const field_routes& each) {
    return each.is_read && places[each.field].segment >= 0;
  });
  // acquire: pairs with the release in pull()
  return !is_awaited ||
         std::atomic_ref(area.done(own_node_rank_, node_rank_)).load(std::memory_order_acquire) >=
             step;
}

std::string_view memory_link::path(std::span<const place> places) const {
  bool is_read = false;
  bool is_staged = false;
  for (const field_routes& each : fields_) {
    const bool is_shared = places[each.field].segment >= 0;
    is_read = is_read || (is_shared && each.is_read);
    is_staged = is_staged || !(is_shared ? each.shared : each.staged).push.empty();
  }
  if (is_read && is_staged) {
    return "one copy from shared fields, the rest staged in shared memory";
  }
  return is_read ? "one copy from shared fields" : "staged in shared memory";
}

}  // namespace weft::halo::detail
