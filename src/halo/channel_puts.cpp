// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One-sided: MPI puts, between post and wait of the receivers.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <mpi.h>

#include "weft/halo/detail/grid.hpp"

#include "halo/channel_carriers.hpp"
#include "halo/channel_landings.hpp"
#include "halo/plan.hpp"

namespace weft::halo::detail {
namespace {

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
      if (has_landing(each)) {
        std::memcpy(base_ + own_landing(each).offset, &nothing, sizeof(nothing));
      }
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
        keep([&] {
          const std::ptrdiff_t bytes = bytes_of(each);
          if (bytes <= to->capacity) {  // else the receiver says so
            const std::byte* const data = bytes_in(processes(), each, rooms_[n]);
            put(data, bytes, each.peer, to->offset + landing_head_bytes);
          }
          heads_[n].bytes = bytes;
          put(&heads_[n], sizeof(landing_head), each.peer, to->offset);
        });
      }
    }
  }

  void wait(channel_side& receives, channel_side& sends) override {
    if (has_peers_) {
      check_mpi(MPI_Win_complete(window_), "MPI_Win_complete");
      check_mpi(MPI_Win_wait(window_), "MPI_Win_wait");
    }
    for (const channel& each : receives.channels) {
      if (each.peer == processes().rank() || !has_landing(each)) {
        continue;
      }
      const std::byte* const landed = base_ + own_landing(each).offset;
      landing_head head;
      std::memcpy(&head, landed, sizeof(head));
      keep([&] {
        check_size(processes(), each, std::max<std::ptrdiff_t>(head.bytes, 0));
        if (has_room(each)) {
          take(processes(), each, landed + landing_head_bytes);
        }
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

}  // namespace

std::unique_ptr<channel_carrier> carry_by_puts(std::shared_ptr<grid> processes) {
  return std::make_unique<puts>(std::move(processes));
}

}  // namespace weft::halo::detail
