// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The places where received buffers land: laid out once, and announced to neighbours once.
#include "halo/transport/channel_landings.hpp"

#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include "weft/halo/detail/grid.hpp"
#include "weft/halo/error.hpp"

#include "halo/exchange/stall_watch.hpp"
#include "halo/fields/room.hpp"
#include "halo/plan/agree.hpp"
#include "halo/plan/plan.hpp"
#include "halo/transport/channel_carriers.hpp"

namespace weft::halo::detail {
namespace {

std::ptrdiff_t in_lines(std::ptrdiff_t bytes) {
  return (bytes + landing_head_bytes - 1) / landing_head_bytes * landing_head_bytes;
}

/// Buffers of another type than MPI_BYTE are packed by MPI.
bool is_plain(const channel& what) { return what.buffer.type == MPI_BYTE; }

int packable(const grid& processes, const channel& what) {
  int bytes = 0;
  check_mpi(MPI_Pack_size(
                static_cast<int>(what.buffer.count), what.buffer.type, processes.comm(), &bytes),
            "MPI_Pack_size");
  if (bytes < 0 || bytes_of(what) > INT_MAX) {
    throw error(errc::unsupported,
                "2 GiB of an MPI datatype or more cannot be packed; send bytes, or use "
                "carrier::messages");
  }
  return bytes;
}

}  // namespace

std::ptrdiff_t slot_bytes(std::int64_t capacity) {
  return landing_head_bytes + in_lines(static_cast<std::ptrdiff_t>(capacity));
}

const std::byte* bytes_in(const grid& processes,
                          const channel& what,
                          std::vector<std::byte>& room) {
  if (is_plain(what)) {
    return static_cast<const std::byte*>(what.buffer.data);
  }
  const int size = packable(processes, what);
  room.resize(static_cast<std::size_t>(size));
  int position = 0;
  check_mpi(MPI_Pack(what.buffer.data,
                     static_cast<int>(what.buffer.count),
                     what.buffer.type,
                     room.data(),
                     size,
                     &position,
                     processes.comm()),
            "MPI_Pack");
  return room.data();
}

void take(const grid& processes, const channel& what, const std::byte* landed) {
  const std::ptrdiff_t bytes = bytes_of(what);
  if (bytes == 0) {
    return;
  }
  if (is_plain(what)) {
    std::memcpy(what.buffer.data, landed, static_cast<std::size_t>(bytes));
    return;
  }
  static_cast<void>(packable(processes, what));
  int position = 0;
  check_mpi(MPI_Unpack(landed,
                       static_cast<int>(bytes),
                       &position,
                       what.buffer.data,
                       static_cast<int>(what.buffer.count),
                       what.buffer.type,
                       processes.comm()),
            "MPI_Unpack");
}

landing_carrier::landing_carrier(std::shared_ptr<grid> with,
                                 stall_watch watch,
                                 std::ptrdiff_t num_slots)
    : channel_carrier(std::move(with), std::move(watch)), num_slots_(num_slots) {
  check_mpi(MPI_Comm_dup(processes().comm(), &comm_), "MPI_Comm_dup");
}

landing_carrier::~landing_carrier() {
  if (is_mpi_running()) {
    MPI_Comm_free(&comm_);
  }
}

void landing_carrier::ensure_landings(const channel_side& receives) {
  if (is_ready_) {
    // the error is kept, since neighbours wait for this rank in any case
    keep([&] { check_room(receives); });
    return;
  }
  const std::ptrdiff_t bytes = lay_out(receives);
  refusal why = trouble();
  const refusal no_memory = no_room(processes(), {.shared = static_cast<std::size_t>(bytes)});
  refuse_together(processes(), why.why.empty() ? no_memory : why, std::source_location::current());
  swap_landings();
  make_memory(bytes);
  is_ready_ = true;
}

const landing* landing_carrier::their_landing(const channel& what) {
  const landing& found = theirs_[travels(what, true)];
  if (found.offset >= 0) {
    return &found;
  }
  keep([&] { throw no_receiver_error(processes(), what); });
  return nullptr;
}

/// Returns the size of all landings together.
std::ptrdiff_t landing_carrier::lay_out(const channel_side& receives) {
  std::ptrdiff_t bytes = landing_head_bytes;
  own_.fill({});
  for (const channel& each : receives.channels) {
    const std::ptrdiff_t capacity = bytes_of(each);
    own_[travels(each, false)] = {bytes, capacity};
    bytes += num_slots_ * slot_bytes(capacity);
  }
  return bytes;
}

/// Tells each neighbour where its buffers land on this rank.
void landing_carrier::swap_landings() {
  theirs_.fill({});
  std::vector<MPI_Request> requests;
  for (const direction& towards : directions_of(processes().num_dims())) {
    const int to = processes().neighbour(towards);
    const int from = processes().neighbour(opposite(towards));
    const std::size_t index = index_of(towards);
    const auto tag = static_cast<int>(index);
    if (towards == direction{}) {
      continue;
    }
    if (from >= 0) {
      check_mpi(MPI_Isend(&own_[index],
                          2,
                          MPI_INT64_T,
                          from,
                          tag,
                          comm_,
                          &requests.emplace_back(MPI_REQUEST_NULL)),
                "MPI_Isend");
    }
    if (to >= 0) {
      check_mpi(MPI_Irecv(&theirs_[index],
                          2,
                          MPI_INT64_T,
                          to,
                          tag,
                          comm_,
                          &requests.emplace_back(MPI_REQUEST_NULL)),
                "MPI_Irecv");
    }
  }
  check_mpi(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
}

void landing_carrier::check_room(const channel_side& receives) const {
  for (const channel& each : receives.channels) {
    if (!has_room(each)) {
      throw error(errc::unsupported,
                  "the buffer for what comes from direction " +
                      to_string(each.towards, processes().num_dims()) + " grew from " +
                      std::to_string(own_landing(each).capacity) + " to " +
                      std::to_string(bytes_of(each)) +
                      " B after the first exchange; register the largest first, make the "
                      "channels anew, or use carrier::messages");
    }
  }
}

}  // namespace weft::halo::detail
