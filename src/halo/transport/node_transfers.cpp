// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transfers within a node: readers and senders agree once; then they use flags and copies.
#include "halo/transport/node_transfers.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mpi.h>

#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/detail/transfer.hpp"
#include "weft/halo/error.hpp"
#include "weft/halo/options.hpp"

#include "halo/fields/copy.hpp"
#include "halo/fields/copy_list.hpp"
#include "halo/fields/room.hpp"
#include "halo/plan/plan.hpp"
#include "halo/plan/transfer_agreement.hpp"
#include "halo/transport/memory_links.hpp"

namespace weft::halo::detail {
namespace {

constexpr std::ptrdiff_t region_alignment = 128;

// A letter has the offset of the receiver's region and the size of the sender's staging area. Then
// for each box: its field, the offset of its first cell, and the strides in that field.
constexpr std::size_t words_ahead = 2;
constexpr std::size_t words_per_box = 2 + max_dims;

/// Copies the piece's cells between any two sides.
box_copy copy_between(const shape& field,
                      const piece& what,
                      const box_side& into,
                      const box_side& from) {
  return make_copy(field.element_bytes, what.cells, into, from);
}

/// Returns the boxes that are not empty, in sequence in a staging area.
std::vector<piece> pieces_with(int peer,
                               std::span<const shape> fields,
                               const std::vector<transfer>& all) {
  std::vector<piece> found;
  std::ptrdiff_t bytes = 0;
  for (const transfer& each : all) {
    piece next = piece_of(each, fields[each.field]);
    if (each.peer == peer && next.bytes > 0) {
      next.buffer_offset = bytes;
      bytes += next.bytes;
      found.push_back(next);
    }
  }
  return found;
}

std::ptrdiff_t bytes_of(const std::vector<piece>& pieces) {
  return pieces.empty() ? 0 : pieces.back().buffer_offset + pieces.back().bytes;
}

/// Returns the ranks of this node that boxes are sent to, or received from.
std::vector<int> partners(const grid& processes,
                          std::span<const shape> fields,
                          const std::vector<transfer>& all) {
  std::vector<int> found;
  for (const transfer& each : all) {
    if (each.peer != processes.rank() && processes.node_rank_of(each.peer) >= 0 &&
        piece_of(each, fields[each.field]).bytes > 0) {
      found.push_back(each.peer);
    }
  }
  std::ranges::sort(found);
  const auto repeated = std::ranges::unique(found);
  found.erase(repeated.begin(), repeated.end());
  return found;
}

std::ptrdiff_t in_regions(std::ptrdiff_t bytes) {
  return (bytes + region_alignment - 1) / region_alignment * region_alignment;
}

/// False: the field's address is known already, and other ranks can read it.
bool may_be_staged(const grid& processes, const transfers& what, std::size_t field) {
  return what.pointers.empty() || processes.find(what.pointers[field]).segment < 0;
}

/// Returns the size up to the last box that may have to be staged.
std::ptrdiff_t staged_bytes(const grid& processes,
                            const transfers& what,
                            const std::vector<piece>& pieces) {
  const auto last = std::ranges::find_if(pieces.rbegin(), pieces.rend(), [&](const piece& each) {
    return may_be_staged(processes, what, each.field);
  });
  return last == pieces.rend() ? 0 : last->buffer_offset + last->bytes;
}

}  // namespace

std::unique_ptr<node_transfers> node_transfers::make(std::shared_ptr<const grid> processes,
                                                     const exchange_options& options,
                                                     std::span<const shape> fields,
                                                     const transfers& what) {
  const std::vector<int> readers = partners(*processes, fields, what.out);
  std::array<std::int64_t, 3> most{uses_memory(*processes, options) ? 0 : 1,
                                   readers.empty() ? 0 : 1,
                                   static_cast<std::int64_t>(fields.size())};
  check_mpi(MPI_Allreduce(MPI_IN_PLACE,
                          most.data(),
                          static_cast<int>(most.size()),
                          MPI_INT64_T,
                          MPI_MAX,
                          processes->node_comm()),
            "MPI_Allreduce");
  const auto [wants_messages, sends_anything, most_fields] = most;
  if (wants_messages != 0 || sends_anything == 0) {
    return nullptr;
  }
  std::ptrdiff_t staged = 0;
  for (const int each : readers) {
    staged += in_regions(staged_bytes(*processes, what, pieces_with(each, fields, what.out)));
  }
  if (!has_shared_room(*processes, 2 * static_cast<std::size_t>(staged), 2)) {
    return nullptr;
  }
  return std::unique_ptr<node_transfers>(new node_transfers(
      std::move(processes), fields, what, static_cast<std::size_t>(most_fields)));
}

node_transfers::node_transfers(std::shared_ptr<const grid> processes,
                               std::span<const shape> fields,
                               const transfers& what,
                               std::size_t most_fields)
    : processes_(std::move(processes)), places_(most_fields) {
  for (std::size_t field = 0; field < fields.size(); ++field) {
    may_be_staged_.push_back(may_be_staged(*processes_, what, field));
  }
  make_readers(fields, what);
  make_senders(fields, what);
  area_ = std::make_unique<node_area>(*processes_, most_fields, staging_bytes_);
}

void node_transfers::make_readers(std::span<const shape> fields, const transfers& what) {
  for (const int peer : partners(*processes_, fields, what.out)) {
    reader made{.peer = peer,
                .node_rank = processes_->node_rank_of(peer),
                .region = staging_bytes_,
                .bytes = 0,
                .fields = {}};
    std::vector<std::vector<box_copy>> boxes(fields.size());
    const std::vector<piece> pieces = pieces_with(peer, fields, what.out);
    for (const piece& each : pieces) {
      const shape& own = fields[each.field];
      boxes[each.field].push_back(
          copy_between(own, each, in_buffer(own, each), in_field(own, each)));
    }
    for (std::size_t field = 0; field < boxes.size(); ++field) {
      if (!boxes[field].empty()) {
        std::ptrdiff_t bytes = 0;
        for (const box_copy& each : boxes[field]) {
          bytes += each.bytes();
        }
        made.fields.push_back({field, bytes, paired(boxes[field])});
      }
    }
    made.bytes = bytes_of(pieces);
    staging_bytes_ += in_regions(staged_bytes(*processes_, what, pieces));
    readers_.push_back(std::move(made));
  }
}

std::vector<letter> node_transfers::told(std::span<const shape> fields,
                                         const transfers& what) const {
  std::vector<letter> made;
  for (const reader& each : readers_) {
    letter to{each.peer, {each.region, staging_bytes_}};
    for (const piece& box : pieces_with(each.peer, fields, what.out)) {
      const box_side from = in_field(fields[box.field], box);
      to.words.push_back(static_cast<std::int64_t>(box.field));
      to.words.push_back(from.offset);
      to.words.insert(to.words.end(), from.strides.begin(), from.strides.end());
    }
    made.push_back(std::move(to));
  }
  return made;
}

void node_transfers::make_senders(std::span<const shape> fields, const transfers& what) {
  std::vector<letter> out = told(fields, what);
  std::vector<letter> in;
  for (const int peer : partners(*processes_, fields, what.in)) {
    const std::size_t num_boxes = pieces_with(peer, fields, what.in).size();
    in.push_back({peer, std::vector<std::int64_t>(words_ahead + num_boxes * words_per_box)});
  }
  swap_letters(*processes_, out, in);
  for (const letter& each : in) {
    senders_.push_back(sender_of(each, fields, what));
  }
}

node_transfers::sender node_transfers::sender_of(const letter& told,
                                                 std::span<const shape> fields,
                                                 const transfers& what) const {
  struct pair_of_fields {
    std::size_t own;
    std::size_t their;
    std::vector<box_copy> from_staging = {};
    std::vector<box_copy> from_field = {};
  };
  std::vector<pair_of_fields> found;
  std::span<const std::int64_t> words(told.words);
  const std::ptrdiff_t region = words[0];
  const std::ptrdiff_t area_bytes = words[1];
  words = words.subspan(words_ahead);
  const std::vector<piece> pieces = pieces_with(told.peer, fields, what.in);
  for (const piece& each : pieces) {
    const shape& own = fields[each.field];
    const auto their = static_cast<std::size_t>(words[0]);
    box_side from{.offset = words[1]};
    std::ranges::copy(words.subspan(2, max_dims), from.strides.begin());
    words = words.subspan(words_per_box);
    auto at = std::ranges::find_if(found, [&](const pair_of_fields& one) {
      return one.own == each.field && one.their == their;
    });
    if (at == found.end()) {
      at = found.insert(found.end(), {.own = each.field, .their = their});
    }
    at->from_staging.push_back(copy_between(own, each, in_field(own, each), in_buffer(own, each)));
    at->from_field.push_back(copy_between(own, each, in_field(own, each), from));
  }
  sender made{.peer = told.peer,
              .node_rank = processes_->node_rank_of(told.peer),
              .region = region,
              .area_bytes = area_bytes,
              .bytes = bytes_of(pieces),
              .fields = {}};
  for (const pair_of_fields& each : found) {
    made.fields.push_back({.field = each.own,
                           .their_field = each.their,
                           .from_staging = paired(each.from_staging),
                           .from_field = paired(each.from_field)});
  }
  return made;
}

bool node_transfers::serves(int peer) const {
  return peer != processes_->rank() && processes_->node_rank_of(peer) >= 0;
}

std::size_t node_transfers::num_copies() const noexcept {
  std::size_t num_out = 0;
  for (const reader& each : readers_) {
    for (const outgoing& of : each.fields) {
      num_out += of.sweeps.size();
    }
  }
  std::size_t num_in = 0;
  for (const sender& each : senders_) {
    for (const incoming& of : each.fields) {
      num_in += std::max(of.from_staging.size(), of.from_field.size());
    }
  }
  return std::max(num_out, num_in);
}

void node_transfers::find(std::span<std::byte* const> fields) {
  for (std::size_t n = 0; n < fields.size(); ++n) {
    places_[n] = processes_->find(fields[n]);
    if (places_[n].segment < 0 && !may_be_staged_[n]) {
      throw error(errc::bad_field,
                  "field " + std::to_string(n) +
                      " lay in memory of make_field when its blocks were planned, and does no "
                      "longer; clear() and register them again");
    }
  }
  is_found_ = true;
  has_new_places_ = {true, true};
}

void node_transfers::push(std::span<std::byte* const> fields, copy_list& copies) const {
  std::byte* const staging = area_->staging(processes_->node_rank(), exchange_, staging_bytes_);
  for (const reader& to : readers_) {
    for (const outgoing& each : to.fields) {
      if (places_[each.field].segment < 0) {
        for (const sweep& what : each.sweeps) {
          copies.add(what, staging + to.region, fields[each.field]);
        }
      }
    }
  }
}

void node_transfers::publish() {
  if (bool& is_new = has_new_places_[exchange_ % 2]; is_new) {
    std::ranges::copy(places_, area_->places(processes_->node_rank(), exchange_).begin());
    is_new = false;
  }
  for (sender& each : senders_) {
    each.is_pulled = false;
  }
  // release: pairs with the acquire in pull(); earlier writes are visible there
  std::atomic_ref(area_->ready(processes_->node_rank())).store(step(), std::memory_order_release);
}

bool node_transfers::pull(std::span<std::byte* const> fields, copy_list& copies) {
  bool is_complete = true;
  for (sender& each : senders_) {
    if (each.is_pulled) {
      continue;
    }
    // acquire: pairs with the release in publish()
    if (std::atomic_ref(area_->ready(each.node_rank)).load(std::memory_order_acquire) < step()) {
      is_complete = false;
      continue;
    }
    pull_from(each, fields, copies);
    each.is_pulled = true;
  }
  return is_complete;
}

const std::byte* node_transfers::base_of(incoming& what, int node_rank) const {
  const place where = area_->places(node_rank, exchange_)[what.their_field];
  if (where.segment < 0) {
    return nullptr;
  }
  const bool is_known = what.base != nullptr && what.generation == processes_->generation() &&
                        what.seen.segment == where.segment && what.seen.offset == where.offset;
  if (!is_known) {
    what.base = processes_->shared_memory(where.segment, node_rank) + where.offset;
    what.seen = where;
    what.generation = processes_->generation();
  }
  return what.base;
}

void node_transfers::pull_from(sender& from,
                               std::span<std::byte* const> fields,
                               copy_list& copies) const {
  const std::byte* const staging =
      area_->staging(from.node_rank, exchange_, from.area_bytes) + from.region;
  for (incoming& each : from.fields) {
    const std::byte* const field = base_of(each, from.node_rank);
    for (const sweep& what : field == nullptr ? each.from_staging : each.from_field) {
      copies.add(what, fields[each.field], field == nullptr ? staging : field);
    }
  }
  copies.run();
  // release: pairs with the acquire in is_read(); the owner may overwrite only cells that were read
  std::atomic_ref(area_->done(from.node_rank, processes_->node_rank()))
      .store(step(), std::memory_order_release);
}

bool node_transfers::reads_fields(const reader& by) const {
  return std::ranges::any_of(
      by.fields, [&](const outgoing& each) { return places_[each.field].segment >= 0; });
}

bool node_transfers::is_read_by(const reader& by) const {
  // acquire: pairs with the release in pull_from()
  return std::atomic_ref(area_->done(processes_->node_rank(), by.node_rank))
             .load(std::memory_order_acquire) >= (reads_fields(by) ? step() : step() - 1);
}

bool node_transfers::is_read() const {
  return std::ranges::all_of(readers_, [&](const reader& by) { return is_read_by(by); });
}

std::vector<int> node_transfers::waited_for() const {
  std::vector<int> peers;
  for (const sender& each : senders_) {
    if (!each.is_pulled) {
      peers.push_back(each.peer);
    }
  }
  for (const reader& each : readers_) {
    if (peers.empty() && !is_read_by(each)) {
      peers.push_back(each.peer);
    }
  }
  return peers;
}

std::int64_t node_transfers::bytes() const noexcept {
  std::int64_t sum = 0;
  for (const sender& each : senders_) {
    sum += each.bytes;
  }
  return sum;
}

traffic& entry_for(std::vector<traffic>& all, int peer, std::string_view path) {
  const auto found = std::ranges::find(all, peer, &traffic::peer);
  return found != all.end() ? *found
                            : all.emplace_back(traffic{.peer = peer, .path = std::string(path)});
}

std::string node_transfers::path_to(const reader& to) const {
  if (!is_found_) {
    return "shared memory";
  }
  std::ptrdiff_t staged = 0;
  for (const outgoing& each : to.fields) {
    staged += places_[each.field].segment < 0 ? each.bytes : 0;
  }
  if (staged == 0) {
    return "one copy from shared fields";
  }
  return (staged == to.bytes ? "" : std::to_string(staged) + " B of what it sends ") +
         std::string("staged in shared memory");
}

void node_transfers::tell(std::vector<traffic>& all) const {
  for (const reader& each : readers_) {
    entry_for(all, each.peer, path_to(each)).out_bytes = each.bytes;
  }
  for (const sender& each : senders_) {
    entry_for(all, each.peer, "shared memory").in_bytes = each.bytes;
  }
}

}  // namespace weft::halo::detail
