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

#include "halo/exchange/stall_watch.hpp"
#include "halo/plan/plan.hpp"
#include "halo/transport/channel_carriers.hpp"
#include "halo/transport/channel_landings.hpp"

namespace weft::halo::detail {
namespace {

/// One-sided: all neighbours put, between post and wait of the receiver.
class puts final : public landing_carrier {
 public:
  puts(std::shared_ptr<grid> with, stall_watch watch)
      : landing_carrier(std::move(with), std::move(watch), 1) {
    for (const direction& each : directions_of(processes().num_dims())) {
      if (const int peer = processes().neighbour(each);
          peer >= 0 && peer != processes().rank() &&
          std::ranges::find(peers_, peer) == peers_.end()) {
        peers_.push_back(peer);
      }
    }
    make_posts();
    MPI_Group all = MPI_GROUP_NULL;
    check_mpi(MPI_Comm_group(comm(), &all), "MPI_Comm_group");
    check_mpi(MPI_Group_incl(all, static_cast<int>(peers_.size()), peers_.data(), &neighbours_),
              "MPI_Group_incl");
    MPI_Group_free(&all);
  }
  puts(const puts&) = delete;
  puts& operator=(const puts&) = delete;
  ~puts() override {
    if (is_mpi_running()) {
      for (std::vector<MPI_Request>* const requests : {&posts_out_, &posts_in_}) {
        for (MPI_Request& each : *requests) {
          MPI_Request_free(&each);
        }
      }
      if (has_peers()) {
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
    if (has_peers()) {
      check_mpi(MPI_Win_post(neighbours_, 0, window_), "MPI_Win_post");
      start(posts_in_);
      start(posts_out_);
    }
  }

  void do_sends(channel_side& sends) override {
    rooms_.resize(sends.channels.size());
    heads_.resize(sends.channels.size());
    if (!has_peers()) {
      return;
    }
    check_mpi(wait_for(posts_in_), "MPI_Testall");
    check_mpi(MPI_Win_start(neighbours_, 0, window_), "MPI_Win_start");
    for (std::size_t n = 0; n < sends.channels.size(); ++n) {
      const channel& each = sends.channels[n];
      const landing* const to = each.peer == processes().rank() ? nullptr : their_landing(each);
      if (to != nullptr) {
        keep([&] {
          const std::ptrdiff_t bytes = bytes_of(each);
          if (bytes <= to->capacity) {  // else the receiver reports the error
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
    if (has_peers()) {
      check_mpi(MPI_Win_complete(window_), "MPI_Win_complete");
      check_mpi(wait_for_puts(), "MPI_Win_test");
      check_mpi(wait_for(posts_out_), "MPI_Testall");
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
    if (has_peers()) {
      if (!has_sent) {
        wait_for(posts_in_);
        MPI_Win_start(neighbours_, 0, window_);
      }
      MPI_Win_complete(window_);
      wait_for_puts();
      wait_for(posts_out_);
    }
  }

 private:
  [[nodiscard]] bool has_peers() const noexcept { return !peers_.empty(); }

  /// MPI_Win_start waits for posts, but reports neither how long nor for which rank. So each rank
  /// sends an empty message after it has posted, and the other rank tests for that message first.
  void make_posts() {
    constexpr int tag = num_directions;  // lower tags announce landings
    for (const int peer : peers_) {
      check_mpi(
          MPI_Send_init(
              nullptr, 0, MPI_BYTE, peer, tag, comm(), &posts_out_.emplace_back(MPI_REQUEST_NULL)),
          "MPI_Send_init");
      check_mpi(
          MPI_Recv_init(
              nullptr, 0, MPI_BYTE, peer, tag, comm(), &posts_in_.emplace_back(MPI_REQUEST_NULL)),
          "MPI_Recv_init");
    }
  }
  static void start(std::vector<MPI_Request>& posts) {
    check_mpi(MPI_Startall(static_cast<int>(posts.size()), posts.data()), "MPI_Startall");
  }
  /// Returns MPI's error code.
  int wait_for(std::vector<MPI_Request>& posts) {
    int failed = MPI_SUCCESS;
    const auto are_over = [&] {
      int flag = 0;
      failed =
          MPI_Testall(static_cast<int>(posts.size()), posts.data(), &flag, MPI_STATUSES_IGNORE);
      return flag != 0 || failed != MPI_SUCCESS;
    };
    wait_until(are_over, [&] {
      std::vector<int> ranks;
      for (std::size_t n = 0; n < posts.size(); ++n) {
        int is_over = 1;
        MPI_Request_get_status(posts[n], &is_over, MPI_STATUS_IGNORE);
        if (is_over == 0) {
          ranks.push_back(peers_[n]);
        }
      }
      return ranks;
    });
    return failed;
  }
  /// Returns MPI's error code. With several neighbours, MPI does not tell whose puts are missing.
  int wait_for_puts() {
    int failed = MPI_SUCCESS;
    const auto are_over = [&] {
      int flag = 0;
      failed = MPI_Win_test(window_, &flag);
      return flag != 0 || failed != MPI_SUCCESS;
    };
    wait_until(are_over, [&] { return peers_.size() == 1 ? peers_ : std::vector<int>(); });
    return failed;
  }

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

  std::vector<int> peers_;  // ranks; the next two are parallel to it
  std::vector<MPI_Request> posts_out_;
  std::vector<MPI_Request> posts_in_;
  MPI_Group neighbours_ = MPI_GROUP_NULL;
  MPI_Win window_ = MPI_WIN_NULL;
  std::byte* base_ = nullptr;
  std::vector<std::vector<std::byte>> rooms_;  // buffers of sends that are packed
  std::vector<landing_head> heads_;
};

}  // namespace

std::unique_ptr<channel_carrier> carry_by_puts(std::shared_ptr<grid> processes, stall_watch watch) {
  return std::make_unique<puts>(std::move(processes), std::move(watch));
}

}  // namespace weft::halo::detail
