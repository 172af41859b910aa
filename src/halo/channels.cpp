// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Persistent messages, one per direction, told apart by tags.
#include "weft/halo/channels.hpp"

#include <algorithm>
#include <climits>
#include <cstddef>
#include <exception>
#include <memory>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include "weft/halo/detail/grid.hpp"
#include "weft/halo/error.hpp"

#include "halo/message_links.hpp"
#include "halo/plan.hpp"

namespace weft::halo::detail {
namespace {

struct channel {
  direction towards{};
  int peer = -1;
  channel_buffer buffer{};
  datatype counted{};  // all of the buffer, where an int cannot count it
  bool is_changed = true;
};

/// All sends, or all receives.
struct side {
  bool is_send = false;
  std::vector<channel> channels{};
  std::vector<MPI_Request> requests{};  // of the channel at the same index
  std::vector<MPI_Status> statuses{};
};

void check_direction(const direction& towards,
                     std::size_t num_dims,
                     const std::source_location& where) {
  const bool is_near = std::ranges::all_of(towards, [](int d) { return d >= -1 && d <= 1; });
  const bool is_away = std::ranges::any_of(towards, [](int d) { return d != 0; });
  if (!is_near || !is_away) {
    throw error(errc::bad_field,
                to_string(towards, num_dims) +
                    " is no direction: each number is -1, 0 or 1, and not all are 0",
                -1,
                where);
  }
}

}  // namespace

class channel_set::state {
 public:
  explicit state(std::shared_ptr<grid> processes)
      : processes_(std::move(processes)), sends_{.is_send = true}, receives_{.is_send = false} {
    check_mpi(MPI_Comm_dup(processes_->comm(), &comm_), "MPI_Comm_dup");
  }
  ~state() {
    if (!is_mpi_running()) {
      return;
    }
    leave();
    for (side* const each : {&sends_, &receives_}) {
      for (MPI_Request& request : each->requests) {
        if (request != MPI_REQUEST_NULL) {
          MPI_Request_free(&request);
        }
      }
    }
    MPI_Comm_free(&comm_);
  }
  state(const state&) = delete;
  state& operator=(const state&) = delete;

  void set(bool is_send,
           const direction& towards,
           const channel_buffer& what,
           const std::source_location& where) {
    check_direction(towards, processes_->num_dims(), where);
    check_idle(where);
    if (what.count < 0 || (what.data == nullptr && what.count > 0)) {
      throw error(errc::bad_field,
                  "the buffer for direction " + to_string(towards, processes_->num_dims()) +
                      " is a null pointer or of negative size",
                  -1,
                  where);
    }
    if (processes_->neighbour(towards) < 0) {
      return;
    }
    side& of = is_send ? sends_ : receives_;
    channel& at = find_or_add(of, towards);
    at.buffer = what;
    at.is_changed = true;
  }

  void resize(bool is_send,
              const direction& towards,
              std::ptrdiff_t count,
              const std::source_location& where) {
    check_direction(towards, processes_->num_dims(), where);
    check_idle(where);
    if (processes_->neighbour(towards) < 0) {
      return;
    }
    side& of = is_send ? sends_ : receives_;
    const auto found = std::ranges::find(of.channels, towards, &channel::towards);
    if (found == of.channels.end() || count < 0) {
      throw error(errc::bad_field,
                  found == of.channels.end()
                      ? "no buffer is registered for direction " +
                            to_string(towards, processes_->num_dims()) + "; register it first"
                      : "a size cannot be negative",
                  -1,
                  where);
    }
    found->is_changed = found->is_changed || found->buffer.count != count;
    found->buffer.count = count;
  }

  void post_receives() {
    if (is_receiving_) {
      throw error(errc::wrong_state, "receives are posted already; wait() comes first");
    }
    start(receives_);
    is_receiving_ = true;
  }
  void do_sends() {
    if (!is_receiving_ || is_sending_) {
      throw error(errc::wrong_state,
                  is_sending_ ? "sends are under way already; wait() comes first"
                              : "do_sends() without post_receives() before it");
    }
    start(sends_);
    is_sending_ = true;
  }
  void wait() {
    if (!is_receiving_ || !is_sending_) {
      throw error(errc::wrong_state, "wait() without post_receives() and do_sends() before it");
    }
    std::exception_ptr first;
    for (side* const each : {&receives_, &sends_}) {
      try {
        finish(*each);
      } catch (const error&) {
        first = first == nullptr ? std::current_exception() : first;
      }
    }
    is_receiving_ = false;
    is_sending_ = false;
    if (first != nullptr) {
      std::rethrow_exception(first);
    }
    check_sizes();
  }

 private:
  /// MPI may still use buffers and this communicator: nothing is freed before it has done.
  void leave() {
    if (is_receiving_ && !is_sending_) {
      for (MPI_Request& request : receives_.requests) {
        if (request != MPI_REQUEST_NULL) {
          MPI_Cancel(&request);  // neighbours may have left as early, and sent nothing
        }
      }
    }
    for (side* const each : {&sends_, &receives_}) {
      MPI_Waitall(
          static_cast<int>(each->requests.size()), each->requests.data(), each->statuses.data());
    }
  }

  void check_idle(const std::source_location& where) const {
    if (is_receiving_ || is_sending_) {
      throw error(errc::wrong_state, "buffers are under way; wait() comes first", -1, where);
    }
  }

  channel& find_or_add(side& of, const direction& towards) const {
    const auto found = std::ranges::find(of.channels, towards, &channel::towards);
    if (found != of.channels.end()) {
      return *found;
    }
    of.channels.push_back({.towards = towards, .peer = processes_->neighbour(towards)});
    of.requests.push_back(MPI_REQUEST_NULL);
    of.statuses.emplace_back();
    return of.channels.back();
  }

  void prepare(channel& what, MPI_Request& request, bool is_send) const {
    if (request != MPI_REQUEST_NULL) {
      check_mpi(MPI_Request_free(&request), "MPI_Request_free");
    }
    what.is_changed = false;
    // Nothing is a message too, or one side would wait for what the other never sends.
    MPI_Datatype type = what.buffer.type;
    auto count = static_cast<int>(what.buffer.count);
    if (what.buffer.count > INT_MAX) {
      if (type != MPI_BYTE) {
        throw error(errc::unsupported,
                    "more than 2^31 elements of an MPI datatype; put several into one datatype");
      }
      what.counted = bytes_type(what.buffer.count);
      type = what.counted.get();
      count = 1;
    }
    // The tag is the direction in which a message travels.
    const direction travels = is_send ? what.towards : opposite(what.towards);
    const auto tag = static_cast<int>(index_of(travels));
    if (is_send) {
      check_mpi(MPI_Send_init(what.buffer.data, count, type, what.peer, tag, comm_, &request),
                "MPI_Send_init");
    } else {
      check_mpi(MPI_Recv_init(what.buffer.data, count, type, what.peer, tag, comm_, &request),
                "MPI_Recv_init");
    }
  }

  void start(side& of) const {
    for (std::size_t n = 0; n < of.channels.size(); ++n) {
      if (of.channels[n].is_changed) {
        prepare(of.channels[n], of.requests[n], of.is_send);
      }
    }
    for (MPI_Request& request : of.requests) {
      if (request != MPI_REQUEST_NULL) {
        check_mpi(MPI_Start(&request), "MPI_Start");
      }
    }
  }

  void finish(side& of) const {
    const int code =
        MPI_Waitall(static_cast<int>(of.requests.size()), of.requests.data(), of.statuses.data());
    if (code != MPI_ERR_IN_STATUS) {
      check_mpi(code, "MPI_Waitall");
      return;
    }
    for (std::size_t n = 0; n < of.channels.size(); ++n) {
      if (of.statuses[n].MPI_ERROR == MPI_ERR_PENDING) {  // under way still
        const int late = MPI_Wait(&of.requests[n], &of.statuses[n]);
        of.statuses[n].MPI_ERROR = late;
      }
    }
    for (std::size_t n = 0; n < of.channels.size(); ++n) {
      const int failed = of.statuses[n].MPI_ERROR;
      if (of.requests[n] == MPI_REQUEST_NULL || failed == MPI_SUCCESS) {
        continue;
      }
      int kind = MPI_SUCCESS;
      MPI_Error_class(failed, &kind);
      if (kind != MPI_ERR_TRUNCATE) {
        check_mpi(failed, "MPI_Waitall");
      }
      throw error(errc::ranks_disagree,
                  described(of.channels[n]) + " sends more than the " +
                      std::to_string(bytes_of(of.channels[n])) + " B of the buffer for it",
                  of.channels[n].peer);
    }
  }

  /// MPI tells of messages that are too long, but not of those that are too short.
  void check_sizes() const {
    for (std::size_t n = 0; n < receives_.channels.size(); ++n) {
      const channel& what = receives_.channels[n];
      if (receives_.requests[n] == MPI_REQUEST_NULL) {
        continue;
      }
      MPI_Count received = 0;
      check_mpi(MPI_Get_elements_x(&receives_.statuses[n], MPI_BYTE, &received),
                "MPI_Get_elements_x");
      if (received != bytes_of(what)) {
        throw error(errc::ranks_disagree,
                    described(what) + " sends " + std::to_string(received) + " B, " +
                        std::to_string(bytes_of(what)) + " B are expected",
                    what.peer);
      }
    }
  }

  [[nodiscard]] std::string described(const channel& from) const {
    return "ranks " + std::to_string(processes_->rank()) + " and " + std::to_string(from.peer) +
           " disagree: rank " + std::to_string(from.peer) + ", in direction " +
           to_string(from.towards, processes_->num_dims()) + " of rank " +
           std::to_string(processes_->rank()) + ",";
  }

  [[nodiscard]] static std::ptrdiff_t bytes_of(const channel& what) {
    MPI_Count element = 0;
    check_mpi(MPI_Type_size_x(what.buffer.type, &element), "MPI_Type_size_x");
    return static_cast<std::ptrdiff_t>(element) * what.buffer.count;
  }

  std::shared_ptr<grid> processes_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  side sends_;
  side receives_;
  bool is_receiving_ = false;
  bool is_sending_ = false;
};

channel_set::channel_set(std::shared_ptr<grid> processes)
    : state_(std::make_unique<state>(std::move(processes))) {}

channel_set::~channel_set() = default;

void channel_set::set(bool is_send,
                      const direction& towards,
                      const channel_buffer& what,
                      const std::source_location& where) {
  state_->set(is_send, towards, what, where);
}

void channel_set::resize(bool is_send,
                         const direction& towards,
                         std::ptrdiff_t count,
                         const std::source_location& where) {
  state_->resize(is_send, towards, count, where);
}

void channel_set::post_receives() { state_->post_receives(); }
void channel_set::do_sends() { state_->do_sends(); }
void channel_set::wait() { state_->wait(); }

}  // namespace weft::halo::detail
