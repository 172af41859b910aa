// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Carries buffers by plain stores into memory of the node, with two numbers per buffer to wait for.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>
#include <sched.h>

#include "weft/halo/detail/grid.hpp"

#include "halo/exchange/stall_watch.hpp"
#include "halo/plan/plan.hpp"
#include "halo/transport/channel_carriers.hpp"
#include "halo/transport/channel_landings.hpp"

namespace weft::halo::detail {
namespace {

/// Plain stores into memory that the node shares. Each buffer has two slots, used alternately, so
/// that a rank can send an exchange while its neighbour still has to read the previous one.
class stores final : public landing_carrier {
 public:
  stores(std::shared_ptr<grid> with, stall_watch watch)
      : landing_carrier(std::move(with), std::move(watch), 2) {}

  void post_receives(channel_side& receives, const channel_side& /*sends*/) override {
    ensure_landings(receives);
    ++exchange_;
  }

  void do_sends(channel_side& sends) override {
    for (const channel& each : sends.channels) {
      const landing* const to = their_landing(each);
      if (to == nullptr) {
        continue;
      }
      std::byte* const slot = slot_at(processes().node_rank_of(each.peer), *to);
      landing_head& head = head_at(slot);
      // relaxed: only this rank writes it
      const std::uint64_t before = std::atomic_ref(head.sent).load(std::memory_order_relaxed);
      // acquire: pairs with the release of the rank that read the bytes overwritten here
      look_until(
          [&] { return std::atomic_ref(head.taken).load(std::memory_order_acquire) >= before; },
          [&] { return std::vector<int>{each.peer}; });
      head.bytes = 0;
      keep([&] {
        const std::ptrdiff_t bytes = bytes_of(each);
        if (bytes > 0 && bytes <= to->capacity) {  // too large: the receiver reports the error
          std::memcpy(slot + landing_head_bytes,
                      bytes_in(processes(), each, room_),
                      static_cast<std::size_t>(bytes));
        }
        head.bytes = bytes;
      });
      // release: pairs with the acquire in wait()
      std::atomic_ref(head.sent).store(turn(), std::memory_order_release);
    }
  }

  void wait(channel_side& receives, channel_side& /*sends*/) override {
    for (const channel& each : receives.channels) {
      if (!has_landing(each)) {
        continue;
      }
      const std::byte* const slot = slot_at(processes().node_rank(), own_landing(each));
      landing_head& head = head_at(const_cast<std::byte*>(slot));
      // acquire: pairs with the release in do_sends()
      look_until(
          [&] { return std::atomic_ref(head.sent).load(std::memory_order_acquire) >= turn(); },
          [&] { return waited_for(receives); });
      keep([&] {
        check_size(processes(), each, static_cast<std::ptrdiff_t>(head.bytes));
        if (has_room(each)) {
          take(processes(), each, slot + landing_head_bytes);
        }
      });
      // release: pairs with the acquire in do_sends()
      std::atomic_ref(head.taken).store(turn(), std::memory_order_release);
    }
    throw_kept();
  }

  void leave(channel_side& /*receives*/,
             channel_side& /*sends*/,
             bool /*has_sent*/) noexcept override {}  // only the senders write here

 private:
  [[nodiscard]] refusal trouble() const override {
    for (const direction& each : directions_of(processes().num_dims())) {
      if (const int peer = processes().neighbour(each);
          peer >= 0 && processes().node_rank_of(peer) < 0) {
        return {"carrier::shared_memory needs all neighbours on one node, but rank " +
                std::to_string(peer) + " shares no memory with rank " +
                std::to_string(processes().rank()) + "; use messages or one_sided"};
      }
    }
    return {};
  }
  void make_memory(std::ptrdiff_t bytes) override {
    memory_ =
        std::make_unique<node_memory>(processes().node_comm(), static_cast<std::size_t>(bytes));
    std::memset(memory_->of(processes().node_rank()), 0, static_cast<std::size_t>(bytes));
    check_mpi(MPI_Barrier(processes().node_comm()), "MPI_Barrier");  // all ranks see zeros first
  }

  /// Returns how often the slot of this exchange was used.
  [[nodiscard]] std::uint64_t turn() const noexcept { return (exchange_ + 1) / 2; }
  [[nodiscard]] std::byte* slot_at(int node_rank, const landing& where) const {
    return memory_->of(node_rank) + where.offset +
           static_cast<std::ptrdiff_t>(exchange_ % 2) * slot_bytes(where.capacity);
  }
  [[nodiscard]] static landing_head& head_at(std::byte* slot) {
    return *std::launder(reinterpret_cast<landing_head*>(slot));
  }
  /// Returns the ranks that have not sent yet.
  [[nodiscard]] std::vector<int> waited_for(const channel_side& receives) const {
    std::vector<int> peers;
    for (const channel& each : receives.channels) {
      if (!has_landing(each) || std::ranges::find(peers, each.peer) != peers.end()) {
        continue;
      }
      landing_head& head = head_at(slot_at(processes().node_rank(), own_landing(each)));
      // relaxed: used for a message only
      if (std::atomic_ref(head.sent).load(std::memory_order_relaxed) < turn()) {
        peers.push_back(each.peer);
      }
    }
    return peers;
  }
  /// As `wait_until`, but also lets MPI make progress.
  template <class Condition, class Peers>
  void look_until(const Condition& is_so, const Peers& waited_for) {
    constexpr unsigned rounds_alone = 4000;
    for (unsigned rounds = 0; !is_so(); ++rounds) {
      note_idle_poll(waited_for);
      if (rounds > rounds_alone || processes().is_oversubscribed()) {
        sched_yield();
        progress_mpi();
      }
    }
  }
  /// The neighbour may be waiting for a message of this rank, which progresses only in calls of
  /// MPI.
  void progress_mpi() const {
    int is_there = 0;
    check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm(), &is_there, MPI_STATUS_IGNORE),
              "MPI_Iprobe");
  }

  std::unique_ptr<node_memory> memory_;
  std::vector<std::byte> room_;
  std::uint64_t exchange_ = 0;  // number of the exchange, from 1
};

}  // namespace

std::unique_ptr<channel_carrier> carry_by_memory(std::shared_ptr<grid> processes,
                                                 stall_watch watch) {
  return std::make_unique<stores>(std::move(processes), std::move(watch));
}

}  // namespace weft::halo::detail
