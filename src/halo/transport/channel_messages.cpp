// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Persistent messages, one per direction, distinguished by tags.
#include <algorithm>
#include <climits>
#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include "weft/halo/detail/grid.hpp"
#include "weft/halo/error.hpp"

#include "halo/exchange/stall_watch.hpp"
#include "halo/transport/channel_carriers.hpp"
#include "halo/transport/message_links.hpp"

namespace weft::halo::detail {
namespace {

/// The requests of one side's channels, at the same indices.
struct messages_of_side {
  std::vector<MPI_Request> requests{};
  std::vector<MPI_Status> statuses{};
  std::vector<datatype> counted{};  // the whole buffer as one datatype, if an int cannot count it
};

class messages final : public channel_carrier {
 public:
  messages(std::shared_ptr<grid> with, stall_watch watch)
      : channel_carrier(std::move(with), std::move(watch)) {
    check_mpi(MPI_Comm_dup(processes().comm(), &comm_), "MPI_Comm_dup");
  }
  messages(const messages&) = delete;
  messages& operator=(const messages&) = delete;
  ~messages() override {
    if (!is_mpi_running()) {
      return;
    }
    for (messages_of_side* const each : {&sends_, &receives_}) {
      for (MPI_Request& request : each->requests) {
        if (request != MPI_REQUEST_NULL) {
          MPI_Request_free(&request);
        }
      }
    }
    MPI_Comm_free(&comm_);
  }

  void post_receives(channel_side& receives, const channel_side& /*sends*/) override {
    start(receives, receives_);
  }
  void do_sends(channel_side& sends) override { start(sends, sends_); }

  void wait(channel_side& receives, channel_side& sends) override {
    std::exception_ptr first;
    finish(receives, receives_, first);
    finish(sends, sends_, first);
    copy_own(processes(), receives, sends, first);
    if (first != nullptr) {
      std::rethrow_exception(first);
    }
  }

  void leave(channel_side& receives, channel_side& sends, bool has_sent) noexcept override {
    std::exception_ptr ignored;
    if (has_sent) {
      copy_own(processes(), receives, sends, ignored);
    } else {
      for (MPI_Request& request : receives_.requests) {
        if (request != MPI_REQUEST_NULL) {
          MPI_Cancel(&request);  // neighbours may have left equally early, without sending
        }
      }
    }
    finish(receives, receives_, ignored);
    finish(sends, sends_, ignored);
  }

 private:
  void prepare(const channel& what, std::size_t at, bool is_send, messages_of_side& of) const {
    MPI_Request& request = of.requests[at];
    if (request != MPI_REQUEST_NULL) {
      check_mpi(MPI_Request_free(&request), "MPI_Request_free");
    }
    // An empty buffer is sent as well; otherwise one side might wait for a message that is never
    // sent.
    MPI_Datatype type = what.buffer.type;
    auto count = static_cast<int>(what.buffer.count);
    if (what.buffer.count > INT_MAX) {  // a count of bytes: other types were rejected
      of.counted[at] = bytes_type(what.buffer.count);
      type = of.counted[at].get();
      count = 1;
    }
    const auto tag = static_cast<int>(travels(what, is_send));
    if (is_send) {
      check_mpi(MPI_Send_init(what.buffer.data, count, type, what.peer, tag, comm_, &request),
                "MPI_Send_init");
    } else {
      check_mpi(MPI_Recv_init(what.buffer.data, count, type, what.peer, tag, comm_, &request),
                "MPI_Recv_init");
    }
  }

  void start(channel_side& side, messages_of_side& of) const {
    of.requests.resize(side.channels.size(), MPI_REQUEST_NULL);
    of.statuses.resize(side.channels.size());
    of.counted.resize(side.channels.size());
    for (std::size_t n = 0; n < side.channels.size(); ++n) {
      if (side.channels[n].peer == processes().rank()) {
        continue;  // wait() copies these
      }
      // After an error, MPI may have freed the failed request.
      if (side.channels[n].is_changed || of.requests[n] == MPI_REQUEST_NULL) {
        prepare(side.channels[n], n, side.is_send, of);
        side.channels[n].is_changed = false;
      }
      check_mpi(MPI_Start(&of.requests[n]), "MPI_Start");
    }
  }

  /// One by one: in Open MPI 4.1, MPI_Waitall does not return for a persistent message that is
  /// longer than its buffer.
  void finish(const channel_side& side, messages_of_side& of, std::exception_ptr& first) {
    for (std::size_t n = 0; n < of.requests.size(); ++n) {
      if (of.requests[n] == MPI_REQUEST_NULL) {
        continue;
      }
      int failed = MPI_SUCCESS;
      const auto is_over = [&] {
        int flag = 0;
        failed = MPI_Test(&of.requests[n], &flag, &of.statuses[n]);
        return flag != 0 || failed != MPI_SUCCESS;
      };
      wait_until(is_over, [&] { return waited_for(side, of); });
      try {
        check_arrival(side.channels[n], of.statuses[n], failed, side.is_send);
      } catch (const error&) {
        first = first == nullptr ? std::current_exception() : first;
      }
    }
  }

  /// Returns the ranks whose messages are in flight. Failed messages are not.
  [[nodiscard]] static std::vector<int> waited_for(const channel_side& side,
                                                   const messages_of_side& of) {
    std::vector<int> peers;
    for (std::size_t n = 0; n < of.requests.size(); ++n) {
      int is_over = 1;
      const int peer = side.channels[n].peer;
      if (of.requests[n] != MPI_REQUEST_NULL) {
        MPI_Request_get_status(of.requests[n], &is_over, MPI_STATUS_IGNORE);
      }
      if (is_over == 0 && std::ranges::find(peers, peer) == peers.end()) {
        peers.push_back(peer);
      }
    }
    return peers;
  }

  /// MPI reports messages that are too long, but not those that are too short.
  void check_arrival(const channel& what,
                     const MPI_Status& status,
                     int failed,
                     bool is_send) const {
    int kind = MPI_SUCCESS;
    MPI_Error_class(failed, &kind);
    if (kind == MPI_ERR_TRUNCATE) {
      throw error(errc::ranks_disagree,
                  described(processes(), what) + " sends more than the " +
                      std::to_string(bytes_of(what)) + " B of the buffer for it",
                  what.peer);
    }
    check_mpi(failed, "MPI_Test");
    if (!is_send) {
      MPI_Count received = 0;
      check_mpi(MPI_Get_elements_x(&status, MPI_BYTE, &received), "MPI_Get_elements_x");
      check_size(processes(), what, static_cast<std::ptrdiff_t>(received));
    }
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  messages_of_side sends_;
  messages_of_side receives_;
};

}  // namespace

std::unique_ptr<channel_carrier> carry_by_messages(std::shared_ptr<grid> processes,
                                                   stall_watch watch) {
  return std::make_unique<messages>(std::move(processes), std::move(watch));
}

}  // namespace weft::halo::detail
