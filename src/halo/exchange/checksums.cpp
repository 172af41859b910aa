// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Validation level 2: checksums of sent cells, taken when they are packed and again when the
// exchange ends, and compared with the cells that arrived.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <mpi.h>

#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"

#include "halo/exchange/running_exchange.hpp"
#include "halo/fields/copy.hpp"
#include "halo/plan/plan.hpp"
#include "halo/plan/verdict.hpp"
#include "halo/transport/mpi_turn.hpp"

namespace weft::halo::detail {
namespace {

std::uint64_t sum_of(const shape& field, const std::byte* data, const piece& what) {
  std::vector<char> packed(static_cast<std::size_t>(what.bytes));
  const box_side cells{.offset = offset_of(field, what.first), .strides = field.strides};
  const box_side buffer{.offset = 0, .strides = packed_strides(field, what)};
  run(sweep{.first = make_copy(field.element_bytes, what.cells, buffer, cells)},
      reinterpret_cast<std::byte*>(packed.data()),
      data);
  return hash_of(std::string_view(packed.data(), packed.size()));
}

}  // namespace

std::vector<std::uint64_t> running_exchange::sums(const std::vector<piece>& pieces) const {
  std::vector<std::uint64_t> found;
  found.reserve(pieces.size());
  for (const piece& each : pieces) {
    found.push_back(sum_of(fields_[each.field], pointers_[each.field], each));
  }
  return found;
}

void running_exchange::note_borders() {
  if (!checks_cells()) {
    return;
  }
  for (peer_link& each : phases_[phase_].links) {
    each.sums = sums(each.what->out);
  }
}

std::string running_exchange::wrong_arrival(const peer_link& from) const {
  const std::vector<std::uint64_t> arrived = sums(from.what->in);
  for (std::size_t n = 0; n < arrived.size(); ++n) {
    if (arrived[n] != from.sums_of_peer[n]) {
      const piece& wrong = from.what->in[n];
      return "rank " + std::to_string(processes_->rank()) + ": halo cells of field " +
             std::to_string(wrong.field) + " in direction " +
             to_string(wrong.towards, processes_->num_dims()) + " are not what rank " +
             std::to_string(from.what->peer) +
             " sent; was a cell of the border or the halo written between start and wait?";
    }
  }
  return {};
}

void running_exchange::prepare_check() {
  if (checks_cells()) {
    verdict_ = std::make_unique<verdict>(*processes_);
  }
}

/// Sends the sums, and receives the sums of the cells that arrived.
void running_exchange::begin_check() {
  verdict_->begin();
  trouble_.clear();
  const mpi_turn mine(*processes_);
  for (running_phase& each : phases_) {
    for (peer_link& with : each.links) {
      if (sums(with.what->out) != with.sums && trouble_.empty()) {
        trouble_ = "rank " + std::to_string(processes_->rank()) + ": a cell that goes to rank " +
                   std::to_string(with.what->peer) +
                   " was changed between start and wait; write only cells further inside than the "
                   "halo is wide";
      }
      with.sums_of_peer.resize(with.what->in.size());
      check_mpi(MPI_Irecv(with.sums_of_peer.data(),
                          static_cast<int>(with.sums_of_peer.size()),
                          MPI_UINT64_T,
                          with.what->peer,
                          each.check_tag,
                          processes_->comm(),
                          &verdict_->requests().emplace_back(MPI_REQUEST_NULL)),
                "MPI_Irecv");
      check_mpi(MPI_Isend(with.sums.data(),
                          static_cast<int>(with.sums.size()),
                          MPI_UINT64_T,
                          with.what->peer,
                          each.check_tag,
                          processes_->comm(),
                          &verdict_->requests().emplace_back(MPI_REQUEST_NULL)),
                "MPI_Isend");
    }
  }
}

/// Returns true once all ranks have reported their result. Waits for none of them.
bool running_exchange::advance_check() {
  const mpi_turn mine(*processes_);
  for (;;) {
    std::vector<MPI_Request>& requests = verdict_->requests();
    int is_complete = 1;
    if (!requests.empty()) {  // Open MPI rejects an empty list of requests
      check_mpi(MPI_Testall(static_cast<int>(requests.size()),
                            requests.data(),
                            &is_complete,
                            MPI_STATUSES_IGNORE),
                "MPI_Testall");
    }
    if (is_complete == 0) {
      return false;
    }
    if (verdict_->now() == verdict::step::sums) {
      compare_sums();
      verdict_->ask_for_first(*processes_, trouble_);
    } else if (verdict_->now() == verdict::step::first && verdict_->first() < processes_->size()) {
      verdict_->ask_for_text();
    } else {
      return true;
    }
  }
}

void running_exchange::compare_sums() {
  for (const running_phase& each : phases_) {
    for (const peer_link& with : each.links) {
      if (trouble_.empty()) {
        trouble_ = wrong_arrival(with);
      }
    }
  }
}

}  // namespace weft::halo::detail
