// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers land in memory of the receiver that senders write to: by MPI puts, or by plain stores
// where both ranks see it.
#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>
#include <sched.h>

#include "weft/halo/detail/grid.hpp"
#include "weft/halo/error.hpp"

#include "halo/agree.hpp"
#include "halo/channel_carriers.hpp"
#include "halo/plan.hpp"

namespace weft::halo::detail {
namespace {

constexpr std::ptrdiff_t line_bytes = 128;

std::ptrdiff_t in_lines(std::ptrdiff_t bytes) {
  return (bytes + line_bytes - 1) / line_bytes * line_bytes;
}

/// Before the bytes that land. Only a carrier by memory uses the first two.
struct landing_head {
  std::uint64_t sent = 0;   // by the sender, how many exchanges are here
  std::uint64_t taken = 0;  // by the receiver, how many it has read
  std::int64_t bytes = 0;
};

/// Where in its owner's memory what travels in one direction lands; none: it is not received.
struct landing {
  std::int64_t offset = -1;
  std::int64_t capacity = 0;
};

using landings = std::array<landing, num_directions>;

/// `num_slots` places for each received buffer, one after the other.
struct layout_of_landings {
  landings at{};
  std::ptrdiff_t bytes = line_bytes;
};

std::ptrdiff_t slot_bytes(std::int64_t capacity) {
  return line_bytes + in_lines(static_cast<std::ptrdiff_t>(capacity));
}

layout_of_landings lay_out(const channel_side& receives, std::ptrdiff_t num_slots) {
  layout_of_landings made;
  for (const channel& each : receives.channels) {
    const std::ptrdiff_t capacity = bytes_of(each);
    made.at[travels(each, false)] = {made.bytes, capacity};
    made.bytes += num_slots * slot_bytes(capacity);
  }
  return made;
}

/// Bytes that are not MPI_BYTE are packed by MPI.
bool is_plain(const channel& what) { return what.buffer.type == MPI_BYTE; }

int packable(const grid& processes, const channel& what) {
  int bytes = 0;
  if (what.buffer.count <= INT_MAX) {
    check_mpi(MPI_Pack_size(
                  static_cast<int>(what.buffer.count), what.buffer.type, processes.comm(), &bytes),
              "MPI_Pack_size");
  }
  if (what.buffer.count > INT_MAX || bytes < 0 || bytes_of(what) > INT_MAX) {
    throw error(errc::unsupported,
                "2 GiB of an MPI datatype or more cannot be packed; send bytes, or use "
                "carrier::messages");
  }
  return bytes;
}

/// The bytes of `what`, in place or in `room`.
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

/// The part that both carriers share: who receives what where.
class landing_carrier : public channel_carrier {
 public:
  landing_carrier(std::shared_ptr<grid> processes, std::ptrdiff_t num_slots)
      : processes_(std::move(processes)), num_slots_(num_slots) {
    check_mpi(MPI_Comm_dup(processes_->comm(), &comm_), "MPI_Comm_dup");
  }
  landing_carrier(const landing_carrier&) = delete;
  landing_carrier& operator=(const landing_carrier&) = delete;
  ~landing_carrier() override {
    if (is_mpi_running()) {
      MPI_Comm_free(&comm_);
    }
  }

 protected:
  /// Collective before the first exchange; later it checks that all still fits.
  void ensure_landings(const channel_side& receives) {
    if (is_ready_) {
      check_room(receives);
      return;
    }
    refuse_together(*processes_, trouble(), std::source_location::current());
    const layout_of_landings mine = lay_out(receives, num_slots_);
    own_ = mine.at;
    swap_landings();
    make_memory(mine.bytes);
    is_ready_ = true;
  }

  [[nodiscard]] virtual refusal trouble() const { return {}; }
  virtual void make_memory(std::ptrdiff_t bytes) = 0;

  [[nodiscard]] const landing& own_landing(const channel& what) const {
    return own_[travels(what, false)];
  }
  /// Where the neighbour wants it; null: it registered nothing there, which `keep` notes.
  [[nodiscard]] const landing* their_landing(const channel& what) {
    const landing& found = theirs_[travels(what, true)];
    if (found.offset >= 0) {
      return &found;
    }
    keep([&] { throw nobody_receives(*processes_, what); });
    return nullptr;
  }
  /// Errors wait until the exchange is over everywhere: the first of them counts.
  template <class Body>
  void keep(const Body& body) {
    try {
      body();
    } catch (const error&) {
      first_error_ = first_error_ == nullptr ? std::current_exception() : first_error_;
    }
  }
  [[nodiscard]] std::exception_ptr& first_error() noexcept { return first_error_; }
  void throw_kept() {
    if (first_error_ != nullptr) {
      std::rethrow_exception(std::exchange(first_error_, nullptr));
    }
  }
  [[nodiscard]] const grid& processes() const noexcept { return *processes_; }
  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }

 private:
  /// Tells each neighbour where what it sends lands here.
  void swap_landings() {
    theirs_.fill({});
    std::vector<MPI_Request> requests;
    for (const direction& towards : directions_of(processes_->num_dims())) {
      const int to = processes_->neighbour(towards);
      const int from = processes_->neighbour(opposite(towards));
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

  void check_room(const channel_side& receives) const {
    for (const channel& each : receives.channels) {
      const landing& room = own_landing(each);
      if (room.offset < 0 || bytes_of(each) > room.capacity) {
        throw error(errc::unsupported,
                    "the buffer for what comes from direction " +
                        to_string(each.towards, processes_->num_dims()) + " grew from " +
                        std::to_string(room.capacity) + " to " + std::to_string(bytes_of(each)) +
                        " B after the first exchange; register the largest first, make the "
                        "channels anew, or use carrier::messages");
      }
    }
  }

  std::shared_ptr<grid> processes_;
  std::ptrdiff_t num_slots_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  bool is_ready_ = false;
  landings own_{};
  landings theirs_{};
  std::exception_ptr first_error_;
};

/// One-sided: all neighbours put, between post and wait of the receiver.
class puts final : public landing_carrier {
 public:
  explicit puts(std::shared_ptr<grid> with) : landing_carrier(std::move(with), 1) {
    std::vector<int> peers;
    for (const direction& each : directions_of(processes().num_dims())) {
      if (const int peer = processes().neighbour(each);
          peer >= 0 && peer != processes().rank() &&
          std::ranges::find(peers, peer) == peers.end()) {
        peers.push_back(peer);
      }
    }
    has_peers_ = !peers.empty();
    MPI_Group all = MPI_GROUP_NULL;
    check_mpi(MPI_Comm_group(comm(), &all), "MPI_Comm_group");
    check_mpi(MPI_Group_incl(all, static_cast<int>(peers.size()), peers.data(), &neighbours_),
              "MPI_Group_incl");
    MPI_Group_free(&all);
  }
  puts(const puts&) = delete;
  puts& operator=(const puts&) = delete;
  ~puts() override {
    if (is_mpi_running()) {
      if (has_peers_) {
        MPI_Group_free(&neighbours_);
      }
      if (window_ != MPI_WIN_NULL) {
        MPI_Win_free(&window_);
      }
    }
  }

  void post_receives(channel_side& receives, const channel_side& /*sends*/) override {
    ensure_landings(receives);
    const landing_head nothing{.bytes = -1};
    for (const channel& each : receives.channels) {
      std::memcpy(base_ + own_landing(each).offset, &nothing, sizeof(nothing));
    }
    if (has_peers_) {
      check_mpi(MPI_Win_post(neighbours_, 0, window_), "MPI_Win_post");
    }
  }

  void do_sends(channel_side& sends) override {
    rooms_.resize(sends.channels.size());
    heads_.resize(sends.channels.size());
    if (!has_peers_) {
      return;
    }
    check_mpi(MPI_Win_start(neighbours_, 0, window_), "MPI_Win_start");
    for (std::size_t n = 0; n < sends.channels.size(); ++n) {
      const channel& each = sends.channels[n];
      const landing* const to = each.peer == processes().rank() ? nullptr : their_landing(each);
      if (to != nullptr) {
        heads_[n].bytes = bytes_of(each);
        put(&heads_[n], sizeof(landing_head), each.peer, to->offset);
        if (heads_[n].bytes <= to->capacity) {  // else the receiver says so
          put(bytes_in(processes(), each, rooms_[n]),
              heads_[n].bytes,
              each.peer,
              to->offset + line_bytes);
        }
      }
    }
  }

  void wait(channel_side& receives, channel_side& sends) override {
    if (has_peers_) {
      check_mpi(MPI_Win_complete(window_), "MPI_Win_complete");
      check_mpi(MPI_Win_wait(window_), "MPI_Win_wait");
    }
    for (const channel& each : receives.channels) {
      if (each.peer == processes().rank()) {
        continue;
      }
      const std::byte* const landed = base_ + own_landing(each).offset;
      landing_head head;
      std::memcpy(&head, landed, sizeof(head));
      keep([&] {
        check_size(processes(), each, std::max<std::ptrdiff_t>(head.bytes, 0));
        take(processes(), each, landed + line_bytes);
      });
    }
    copy_own(processes(), receives, sends, first_error());
    throw_kept();
  }

  void leave(channel_side& /*receives*/, channel_side& /*sends*/, bool has_sent) noexcept override {
    if (has_peers_) {
      if (!has_sent) {
        MPI_Win_start(neighbours_, 0, window_);
      }
      MPI_Win_complete(window_);
      MPI_Win_wait(window_);
    }
  }

 private:
  void make_memory(std::ptrdiff_t bytes) override {
    void* base = nullptr;
    check_mpi(MPI_Win_allocate(static_cast<MPI_Aint>(bytes),
                               1,
                               MPI_INFO_NULL,
                               comm(),
                               static_cast<void*>(&base),
                               &window_),
              "MPI_Win_allocate");
    base_ = static_cast<std::byte*>(base);
  }

  void put(const void* from, std::ptrdiff_t bytes, int peer, std::int64_t at) const {
    constexpr std::ptrdiff_t most_bytes = 1 << 30;
    const auto* next = static_cast<const std::byte*>(from);
    for (std::ptrdiff_t done = 0; done < bytes; done += most_bytes) {
      const auto count = static_cast<int>(std::min(most_bytes, bytes - done));
      check_mpi(MPI_Put(next + done,
                        count,
                        MPI_BYTE,
                        peer,
                        static_cast<MPI_Aint>(at + done),
                        count,
                        MPI_BYTE,
                        window_),
                "MPI_Put");
    }
  }

  bool has_peers_ = false;
  MPI_Group neighbours_ = MPI_GROUP_NULL;
  MPI_Win window_ = MPI_WIN_NULL;
  std::byte* base_ = nullptr;
  std::vector<std::vector<std::byte>> rooms_;  // of sends that are packed
  std::vector<landing_head> heads_;
};

/// Plain stores into memory that the node shares. Two places per buffer, used in turn, so that a
/// rank whose neighbour has still to read the last exchange can send the next one.
class stores final : public landing_carrier {
 public:
  explicit stores(std::shared_ptr<grid> with) : landing_carrier(std::move(with), 2) {}

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
      // relaxed: this rank alone writes it
      const std::uint64_t before = std::atomic_ref(head.sent).load(std::memory_order_relaxed);
      // acquire: pairs with the release of who has read what is overwritten here
      wait_until(
          [&] { return std::atomic_ref(head.taken).load(std::memory_order_acquire) >= before; });
      head.bytes = bytes_of(each);
      if (head.bytes > 0 && head.bytes <= to->capacity) {  // too large: the receiver says so
        std::memcpy(slot + line_bytes,
                    bytes_in(processes(), each, room_),
                    static_cast<std::size_t>(head.bytes));
      }
      // release: pairs with the acquire in wait()
      std::atomic_ref(head.sent).store(turn(), std::memory_order_release);
    }
  }

  void wait(channel_side& receives, channel_side& /*sends*/) override {
    for (const channel& each : receives.channels) {
      const std::byte* const slot = slot_at(processes().node_rank(), own_landing(each));
      landing_head& head = head_at(const_cast<std::byte*>(slot));
      // acquire: pairs with the release in do_sends()
      wait_until(
          [&] { return std::atomic_ref(head.sent).load(std::memory_order_acquire) >= turn(); });
      keep([&] {
        check_size(processes(), each, static_cast<std::ptrdiff_t>(head.bytes));
        take(processes(), each, slot + line_bytes);
      });
      // release: pairs with the acquire in do_sends()
      std::atomic_ref(head.taken).store(turn(), std::memory_order_release);
    }
    throw_kept();
  }

  void leave(channel_side& /*receives*/,
             channel_side& /*sends*/,
             bool /*has_sent*/) noexcept override {}  // nobody but the senders writes here

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
    check_mpi(MPI_Barrier(processes().node_comm()), "MPI_Barrier");  // all begin with zeros
  }

  /// How often the place of this exchange was used.
  [[nodiscard]] std::uint64_t turn() const noexcept { return (exchange_ + 1) / 2; }
  [[nodiscard]] std::byte* slot_at(int node_rank, const landing& where) const {
    return memory_->of(node_rank) + where.offset +
           static_cast<std::ptrdiff_t>(exchange_ % 2) * slot_bytes(where.capacity);
  }
  [[nodiscard]] static landing_head& head_at(std::byte* slot) {
    return *std::launder(reinterpret_cast<landing_head*>(slot));
  }
  template <class Condition>
  void wait_until(const Condition& is_so) const {
    constexpr unsigned rounds_alone = 4000;
    for (unsigned rounds = 0; !is_so(); ++rounds) {
      if (rounds > rounds_alone || processes().is_oversubscribed()) {
        sched_yield();
      }
    }
  }

  std::unique_ptr<node_memory> memory_;
  std::vector<std::byte> room_;
  std::uint64_t exchange_ = 0;  // which of all, from 1
};

}  // namespace

std::unique_ptr<channel_carrier> carry_by_puts(std::shared_ptr<grid> processes) {
  return std::make_unique<puts>(std::move(processes));
}

std::unique_ptr<channel_carrier> carry_by_memory(std::shared_ptr<grid> processes) {
  return std::make_unique<stores>(std::move(processes));
}

}  // namespace weft::halo::detail
