// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sends messages by MPI: small messages are gathered in slabs, large parts are sent separately.
//
// Frames to one rank are appended to a slab. The slab is sent at once if the receiver has taken all
// previous slabs, or if it announces bodies. Otherwise it is sent when it is full or when the
// receiver reports that it has. So messages are gathered exactly while that costs no time.
//
// Each slab says how many slabs of the other direction were taken. A separate slab says so only if
// no other slab is sent. A pair of ranks has at most `window` slabs that were not taken, so that a
// fast sender cannot exhaust a slow receiver.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include <mpi.h>

#include "weft/distributed/archive.hpp"
#include "weft/distributed/detail/collective.hpp"
#include "weft/distributed/detail/message.hpp"
#include "weft/tasks/runtime_types.hpp"

#include "distributed/transport/mpi_lock.hpp"
#include "distributed/transport/transport.hpp"

namespace weft::distributed::detail {

class mpi_transport final : public transport {
 public:
  /// Collective over MPI_COMM_WORLD. Errors: `weft::error` if a call of MPI fails.
  explicit mpi_transport(bool aggregates);
  ~mpi_transport() override;

  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int size() const noexcept override { return size_; }
  std::size_t send(int to, const outgoing& message) override;
  [[nodiscard]] std::size_t queued_bytes(int to) const noexcept override;
  bool poll(engine& to) noexcept override;
  [[nodiscard]] bool needs_polling() const noexcept override { return true; }
  void receive_parts(const incoming& message,
                     std::span<const part_to_fill> parts,
                     part_arrival& whole) noexcept override;
  void start(collective& operation) noexcept override;
  [[nodiscard]] transfer_counts transfers() const noexcept override { return transfers_.counts(); }
  void close() noexcept override;
  [[noreturn]] void abort(std::string_view why) noexcept override;

 private:
  using slab = std::vector<std::byte>;
  /// A body, or a piece of one, that has not been passed to MPI yet.
  struct body {
    const std::byte* data;
    int size;
    int tag;
    std::shared_ptr<const void> owner;
  };
  struct peer {
    // Under `guard`.
    tasks::spin_lock guard;
    slab gathering;  // empty, or a slab_header and frames
    std::deque<slab> full;
    std::vector<body> bodies;
    std::uint32_t num_bodies = 0;  // pieces, in total
    bool is_dirty = false;         // whether this rank is in dirty_
    // true: a slab of the receiver will say when to send `gathering`
    bool waits_for_receiver = false;
    bool announces_bodies = false;  // `gathering` does: the receiver should expect them soon
    std::atomic<std::size_t> queued_bytes{0};
    std::atomic<bool> has_bodies{false};  // relaxed: the thread that adds one sends it
    // Under the lock of MPI.
    std::uint32_t num_sent = 0;         // slabs that we sent
    std::uint32_t num_taken_there = 0;  // of these
    std::uint32_t num_taken = 0;        // slabs of that rank that we took
    std::uint32_t num_taken_told = 0;   // the count that rank was told last
    bool is_owed = false;               // whether this rank is in owed_
    unsigned num_polls_owed = 0;        // since the first slab taken that the rank was not told of
    std::uint64_t num_messages = 0;     // all messages to that rank except bodies
    int num_bodies_in_flight = 0;
  };
  /// Bodies that are being received, and the object to notify.
  struct arrival {
    int num_missing = 0;
    part_arrival* whole = nullptr;  // null: `frame` is a large frame
    int source = 0;
    std::vector<std::uint64_t> frame;  // aligned as frames are
    std::size_t frame_size = 0;
  };
  enum class received : std::uint8_t { nothing, a_count, frames };
  /// The purpose of a request.
  struct purpose {
    slab sent;
    std::shared_ptr<const void> owner;
    int body_to = -1;           // rank that the body goes to
    std::size_t body_size = 0;  // of a body that is sent or received
    std::shared_ptr<arrival> received;
    collective* operation = nullptr;
  };

  /// True if the request is for a slab or a body.
  [[nodiscard]] static bool is_transfer(const purpose& what) noexcept {
    return what.body_to >= 0 || what.received != nullptr || !what.sent.empty();
  }
  void check(int result, const char* call) const noexcept;
  [[nodiscard]] peer& peer_of(int rank) noexcept { return peers_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] const peer& peer_of(int rank) const noexcept {
    return peers_[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] bool append(peer& to, const outgoing& message, std::uint32_t first_body);
  void append_bodies(peer& to,
                     const std::byte* data,
                     std::size_t size,
                     const std::shared_ptr<const void>& owner) noexcept;
  void append_large(peer& to, const std::shared_ptr<std::vector<std::byte>>& frame);
  [[nodiscard]] bool enqueue(peer& to,
                             const outgoing& message,
                             const std::shared_ptr<std::vector<std::byte>>& large,
                             std::size_t num_bodies);
  [[nodiscard]] int tag_of(std::uint32_t number) const noexcept {
    return static_cast<int>(number & tag_mask_);
  }
  void flush_or_leave(int rank) noexcept;
  void mark_dirty(int rank);
  void flush_dirty() noexcept;
  void flush_dirty_locked() noexcept;
  void flush(int rank) noexcept;
  [[nodiscard]] bool take_slab(peer& from, slab& to) const noexcept;
  void send_bodies(int rank) noexcept;
  void send_slab(int rank, slab&& bytes) noexcept;
  void tell_taken(bool all) noexcept;
  void add_request(MPI_Request request, purpose&& what);
  void receive_bodies(const std::shared_ptr<arrival>& to,
                      std::byte* data,
                      std::size_t size,
                      std::uint32_t& number);
  void restart_receives() noexcept;
  [[nodiscard]] bool receive_slabs(engine& to) noexcept;
  [[nodiscard]] received receive_slab(engine* to) noexcept;
  void take_frames(engine& to, int source, std::span<const std::byte> bytes);
  void receive_large(const incoming& stub);
  void complete_requests(std::vector<purpose>& completed) noexcept;
  void tell(engine& to, std::vector<purpose>& completed) noexcept;
  [[nodiscard]] slab spare_slab();
  void keep_spare(slab&& used) noexcept;

  const bool aggregates_;
  int rank_ = 0;
  int size_ = 1;
  MPI_Comm frames_ = MPI_COMM_NULL;
  MPI_Comm bodies_ = MPI_COMM_NULL;
  std::array<MPI_Comm, num_channels> collectives_{};
  std::uint32_t tag_mask_ = 0;
  std::vector<peer> peers_;

  std::mutex& mpi_ = mpi_lock();  // held around every call of MPI
  std::vector<slab> slots_;       // buffers of the receives
  std::vector<MPI_Request> receives_;
  std::size_t head_ = 0;         // the slot that MPI fills next
  std::size_t num_stopped_ = 0;  // slots before it whose receives have not been started again
  std::vector<MPI_Request> requests_;
  std::vector<purpose> purposes_;  // parallel to requests_
  std::vector<int> indices_;
  std::size_t first_tested_ = 0;
  bool tests_requests_ = false;     // in the last poll
  std::vector<int> owed_;           // ranks to tell how many of their slabs were taken
  std::uint64_t num_received_ = 0;  // slabs of any kind

  transfer_counter transfers_;
  std::atomic<int> num_transfers_{0};  // slabs and bodies in flight; relaxed: a hint
  std::atomic<bool> is_polled_{false};
  std::atomic<bool> has_dirty_{false};
  tasks::spin_lock dirty_lock_;
  std::vector<int> dirty_;    // has capacity for all ranks
  std::vector<int> flushed_;  // also has capacity for all ranks; under the lock of MPI
  tasks::spin_lock spare_lock_;
  std::vector<slab> spare_;
};

}  // namespace weft::distributed::detail
