// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Validation level 2: check sums of what was sent, taken when it was and when all is over, and
// compared with what arrived.
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mpi.h>

#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/error.hpp"

#include "halo/agree.hpp"
#include "halo/copy.hpp"
#include "halo/mpi_turn.hpp"
#include "halo/plan.hpp"
#include "halo/running_exchange.hpp"

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

std::string running_exchange::wrong_arrival(const running_phase& during, const peer_link& from) {
  std::vector<std::uint64_t> sent(from.what->in.size());
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Irecv(sent.data(),
                      static_cast<int>(sent.size()),
                      MPI_UINT64_T,
                      from.what->peer,
                      during.check_tag,
                      processes_->comm(),
                      &request),
            "MPI_Irecv");
  check_mpi(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
  const std::vector<std::uint64_t> arrived = sums(from.what->in);
  for (std::size_t n = 0; n < sent.size(); ++n) {
    if (arrived[n] != sent[n]) {
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

void running_exchange::check_arrivals() {
  if (!checks_cells()) {
    return;
  }
  const mpi_turn mine(*processes_);
  std::string trouble;
  std::vector<MPI_Request> requests;
  for (const running_phase& each : phases_) {
    for (const peer_link& with : each.links) {
      if (sums(with.what->out) != with.sums && trouble.empty()) {
        trouble = "rank " + std::to_string(processes_->rank()) + ": a cell that goes to rank " +
                  std::to_string(with.what->peer) +
                  " was changed between start and wait; write only cells further inside than the "
                  "halo is wide";
      }
      requests.push_back(MPI_REQUEST_NULL);
      check_mpi(MPI_Isend(with.sums.data(),
                          static_cast<int>(with.sums.size()),
                          MPI_UINT64_T,
                          with.what->peer,
                          each.check_tag,
                          processes_->comm(),
                          &requests.back()),
                "MPI_Isend");
    }
  }
  for (const running_phase& each : phases_) {
    for (const peer_link& with : each.links) {
      std::string why = wrong_arrival(each, with);
      if (trouble.empty()) {
        trouble = std::move(why);
      }
    }
  }
  check_mpi(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
  refuse_together(*processes_, {trouble, errc::validation_failed}, std::source_location::current());
}

}  // namespace weft::halo::detail
