// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sends slabs and bodies. Only the thread that holds the lock calls MPI. A thread that does not get
// the lock leaves its messages to the thread that holds it.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <mpi.h>

#include "weft/distributed/archive.hpp"
#include "weft/distributed/detail/message.hpp"

#include "distributed/transport/frames.hpp"
#include "distributed/transport/mpi_slabs.hpp"
#include "distributed/transport/mpi_transport.hpp"

namespace weft::distributed::detail {

namespace {

/// Reserves space for that many more elements, at an amortized cost.
template <class T>
void make_room(std::vector<T>& in, std::size_t num_more) {
  if (in.capacity() - in.size() < num_more) {
    in.reserve(std::max(2 * in.capacity(), in.size() + num_more));
  }
}

}  // namespace

mpi_transport::slab mpi_transport::spare_slab() {
  {
    const std::lock_guard guard(spare_lock_);
    if (!spare_.empty()) {
      slab found = std::move(spare_.back());
      spare_.pop_back();
      return found;
    }
  }
  slab fresh;
  fresh.reserve(slab_bytes);
  return fresh;
}

void mpi_transport::keep_spare(slab&& used) noexcept {
  used.clear();
  const std::lock_guard guard(spare_lock_);
  if (spare_.size() < most_spare) {
    spare_.push_back(std::move(used));
  }
}

std::size_t mpi_transport::queued_bytes(int to) const noexcept {
  return peer_of(to).queued_bytes.load(std::memory_order_relaxed);
}

/// Holds the peer's guard; there is room.
void mpi_transport::append_bodies(peer& to,
                                  const std::byte* data,
                                  std::size_t size,
                                  const std::shared_ptr<const void>& owner) noexcept {
  for (std::size_t at = 0; at < size; at += piece_bytes) {
    to.bodies.push_back({.data = data + at,
                         .size = static_cast<int>(std::min(piece_bytes, size - at)),
                         .tag = tag_of(to.num_bodies++),
                         .owner = owner});
  }
  to.queued_bytes.fetch_add(size, std::memory_order_relaxed);
  to.has_bodies.store(true, std::memory_order_relaxed);
}

/// Returns whether the frame filled a slab. Holds the peer's guard.
bool mpi_transport::append(peer& to, const outgoing& message, std::uint32_t first_body) {
  const std::size_t size = padded(frame_size(message));
  const bool has_filled = !to.gathering.empty() && to.gathering.size() + size > slab_bytes;
  if (has_filled) {
    to.full.push_back(std::move(to.gathering));
    to.gathering = {};
  }
  if (to.gathering.empty()) {
    to.gathering = spare_slab();
    to.gathering.resize(sizeof(slab_header));
  }
  append_frame(to.gathering, message, first_body);
  to.queued_bytes.fetch_add(size, std::memory_order_relaxed);
  return has_filled;
}

/// Sends a frame that is larger than a slab as a body; a stub in the slab announces it. Holds the
/// peer's guard.
void mpi_transport::append_large(peer& to, const std::shared_ptr<std::vector<std::byte>>& frame) {
  set_first_body(*frame, to.num_bodies + num_pieces(frame->size()));
  outgoing stub{};
  stub.header.kind = frame_kind::large;
  stub.header.request = frame->size();
  static_cast<void>(append(to, stub, to.num_bodies));
  append_bodies(to, frame->data(), frame->size(), frame);
}

std::size_t mpi_transport::send(int to, const outgoing& message) {
  peer& there = peer_of(to);
  // built without the lock, as building may take long
  std::shared_ptr<std::vector<std::byte>> large;
  std::size_t num_bodies = 0;
  if (padded(frame_size(message)) > slab_bytes - sizeof(slab_header)) {
    large = std::make_shared<std::vector<std::byte>>();
    append_frame(*large, message, 0);
    num_bodies = num_pieces(large->size());
  }
  for (const part& each : message.parts) {
    num_bodies += num_pieces(each.size);
  }
  if (enqueue(there, message, large, num_bodies)) {
    flush_or_leave(to);
  }
  return queued_bytes(to);
}

/// Returns whether the message, or others before it, may be sent now.
bool mpi_transport::enqueue(peer& to,
                            const outgoing& message,
                            const std::shared_ptr<std::vector<std::byte>>& large,
                            std::size_t num_bodies) {
  const std::lock_guard guard(to.guard);
  if (num_bodies == 0) {
    const bool has_filled = append(to, message, to.num_bodies);
    return has_filled || !to.waits_for_receiver;
  }
  make_room(to.bodies, num_bodies);  // so that the message is sent as a whole or not at all
  if (large != nullptr) {
    append_large(to, large);
  } else {
    static_cast<void>(append(to, message, to.num_bodies));
  }
  for (const part& each : message.parts) {
    append_bodies(to, each.data, each.size, message.owner);
  }
  to.announces_bodies = true;
  return true;
}

/// Sends the waiting messages to that rank, or leaves them to the thread that holds the lock of MPI.
void mpi_transport::flush_or_leave(int rank) noexcept {
  if (mpi_.try_lock()) {
    flush(rank);
    mpi_.unlock();
    if (has_dirty_.load(std::memory_order_seq_cst)) {
      flush_dirty();  // messages of threads that did not get the lock meanwhile
    }
    return;
  }
  mark_dirty(rank);
  flush_dirty();
}

void mpi_transport::mark_dirty(int rank) {
  {
    const std::lock_guard guard(peer_of(rank).guard);
    if (std::exchange(peer_of(rank).is_dirty, true)) {
      return;
    }
  }
  const std::lock_guard guard(dirty_lock_);
  dirty_.push_back(rank);
}

/// Sends the waiting messages. If another thread holds the lock of MPI, that thread sends them: it
/// checks `has_dirty_` again after its own messages.
void mpi_transport::flush_dirty() noexcept {
  has_dirty_.store(true, std::memory_order_seq_cst);
  while (has_dirty_.load(std::memory_order_seq_cst)) {
    const std::unique_lock guard(mpi_, std::try_to_lock);
    if (!guard.owns_lock()) {
      return;
    }
    flush_dirty_locked();
  }
}

void mpi_transport::flush_dirty_locked() noexcept {
  has_dirty_.store(false, std::memory_order_seq_cst);
  flushed_.clear();
  {
    const std::lock_guard guard(dirty_lock_);
    flushed_.swap(dirty_);
  }
  for (const int rank : flushed_) {
    {
      const std::lock_guard guard(peer_of(rank).guard);
      peer_of(rank).is_dirty = false;
    }
    flush(rank);
  }
}

/// Moves a slab into `to` if one may be sent now; returns whether. Holds the lock of MPI.
bool mpi_transport::take_slab(peer& from, slab& to) const noexcept {
  const std::uint32_t num_unknown = from.num_sent - from.num_taken_there;
  const bool is_open = num_unknown < window;
  const bool sends_at_once = is_open && (num_unknown < most_small_in_flight || !aggregates_);
  const std::lock_guard guard(from.guard);
  if (is_open && !from.full.empty()) {
    to = std::move(from.full.front());
    from.full.pop_front();
    return true;
  }
  if ((sends_at_once || (is_open && from.announces_bodies)) && !from.gathering.empty()) {
    to = std::move(from.gathering);
    from.gathering = {};
    from.announces_bodies = false;
    return true;
  }
  // While slabs are in flight, the receiver will say that it took them, and flush() is called then.
  from.waits_for_receiver = !sends_at_once;
  return false;
}

void mpi_transport::flush(int rank) noexcept {
  send_bodies(rank);
  slab next;
  while (take_slab(peer_of(rank), next)) {
    peer& there = peer_of(rank);
    ++there.num_sent;
    there.queued_bytes.fetch_sub(next.size() - sizeof(slab_header), std::memory_order_relaxed);
    send_slab(rank, std::move(next));
  }
}

void mpi_transport::send_bodies(int rank) noexcept {
  peer& there = peer_of(rank);
  if (!there.has_bodies.load(std::memory_order_relaxed)) {
    return;
  }
  std::vector<body> taken;
  {
    const std::lock_guard guard(there.guard);
    const auto room =
        static_cast<std::size_t>(std::max(0, most_bodies_in_flight - there.num_bodies_in_flight));
    const auto end =
        there.bodies.begin() + static_cast<std::ptrdiff_t>(std::min(room, there.bodies.size()));
    taken.assign(std::make_move_iterator(there.bodies.begin()), std::make_move_iterator(end));
    there.bodies.erase(there.bodies.begin(), end);
    there.has_bodies.store(!there.bodies.empty(), std::memory_order_relaxed);
  }
  for (body& each : taken) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Isend(each.data, each.size, MPI_BYTE, rank, each.tag, bodies_, &request),
          "MPI_Isend");
    ++there.num_bodies_in_flight;
    transfers_.sent(static_cast<std::size_t>(each.size));
    purpose what;
    what.owner = std::move(each.owner);
    what.body_to = rank;
    what.body_size = static_cast<std::size_t>(each.size);
    add_request(request, std::move(what));
  }
}

void mpi_transport::send_slab(int rank, slab&& bytes) noexcept {
  peer& there = peer_of(rank);
  const slab_header header{
      .num_taken = there.num_taken,
      .size_bytes = static_cast<std::uint32_t>(bytes.size() - sizeof(slab_header))};
  std::memcpy(bytes.data(), &header, sizeof header);
  there.num_taken_told = there.num_taken;
  ++there.num_messages;
  transfers_.sent(bytes.size());
  MPI_Request request = MPI_REQUEST_NULL;
  check(
      MPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, rank, 0, frames_, &request),
      "MPI_Isend");
  int is_done = 0;
  check(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
  purpose what;
  what.sent = std::move(bytes);
  if (is_done == 0) {
    add_request(request, std::move(what));
    return;
  }
  keep_spare(std::move(what.sent));
}

void mpi_transport::add_request(MPI_Request request, purpose&& what) {
  if (is_transfer(what)) {
    num_transfers_.fetch_add(1, std::memory_order_relaxed);
  }
  requests_.push_back(request);
  purposes_.push_back(std::move(what));
}

/// Tells ranks how many of their slabs were taken, if no slab told them since. Tells all ranks, or
/// only those that may soon have to wait or have waited for several polls. Holds the lock of MPI.
void mpi_transport::tell_taken(bool all) noexcept {
  std::erase_if(owed_, [&](int rank) {
    peer& there = peer_of(rank);
    const std::uint32_t num_owed = there.num_taken - there.num_taken_told;
    if (num_owed == 0) {
      there.is_owed = false;
      return true;
    }
    if (!all && num_owed < window / 2 && ++there.num_polls_owed < most_polls_owed) {
      return false;
    }
    slab bytes = spare_slab();
    bytes.resize(sizeof(slab_header));
    send_slab(rank, std::move(bytes));
    there.is_owed = false;
    return true;
  });
}

}  // namespace weft::distributed::detail
