// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers buffers and checks the order of calls; carriers do the transfers.
#include "weft/halo/channels.hpp"

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <utility>

#include <mpi.h>

#include "weft/halo/detail/grid.hpp"
#include "weft/halo/error.hpp"

#include "halo/device/device_pointers.hpp"
#include "halo/exchange/stall_watch.hpp"
#include "halo/plan/agree.hpp"
#include "halo/plan/plan.hpp"
#include "halo/transport/channel_carriers.hpp"
#include "halo/transport/mpi_support.hpp"

namespace weft::halo::detail {
namespace {

void check_direction(const direction& towards,
                     std::size_t num_dims,
                     const std::source_location& where) {
  const bool is_near = std::ranges::all_of(towards, [](int d) { return d >= -1 && d <= 1; });
  const bool is_away = std::ranges::any_of(towards, [](int d) { return d != 0; });
  if (!is_near || !is_away) {
    throw error(errc::bad_field,
                to_string(towards, num_dims) +
                    " is no direction: each number is -1, 0 or 1, and not all are 0",
                std::nullopt,
                where);
  }
}

/// MPI counts elements by an int. Only bytes can be combined into larger elements.
void check_count(const channel_buffer& what, const std::source_location& where) {
  if (what.type != MPI_BYTE && what.count > INT_MAX) {
    throw error(
        errc::unsupported,
        std::to_string(what.count) +
            " elements of an MPI datatype, of which MPI counts 2^31 - 1; pass bytes, or put "
            "several into one datatype",
        std::nullopt,
        where);
  }
}

/// Whether only MPI can read and write the buffer.
/// Errors: `halo::error` (`unsupported`) if MPI cannot, or if the carrier is not MPI's messages.
bool lies_on_device(const channel_buffer& what, carrier by, const std::source_location& where) {
  if (what.data == nullptr || !is_device_memory(static_cast<const std::byte*>(what.data))) {
    return false;
  }
  if (by != carrier::messages) {
    throw error(errc::unsupported,
                "the buffer lies in the memory of a GPU, which this carrier copies by the host; "
                "use carrier::messages",
                std::nullopt,
                where);
  }
  if (const mpi_support support = asked_mpi(); support.says == mpi_support::answer::no) {
    throw error(errc::unsupported,
                "the buffer lies in the memory of a GPU, which this MPI cannot read (" +
                    support.why + "); pass memory of the host",
                std::nullopt,
                where);
  }
  return true;
}

std::unique_ptr<channel_carrier> carry_by(carrier what,
                                          const std::shared_ptr<grid>& processes,
                                          const stall_watch& watch) {
  switch (what) {
    case carrier::one_sided:
      return carry_by_puts(processes, watch);
    case carrier::shared_memory:
      return carry_by_memory(processes, watch);
    case carrier::messages:
      break;
  }
  return carry_by_messages(processes, watch);
}

}  // namespace

std::ptrdiff_t bytes_of(const channel& what) {
  MPI_Count element = 0;
  check_mpi(MPI_Type_size_x(what.buffer.type, &element), "MPI_Type_size_x");
  return static_cast<std::ptrdiff_t>(element) * what.buffer.count;
}

std::string described(const grid& processes, const channel& from) {
  return "ranks " + std::to_string(processes.rank()) + " and " + std::to_string(from.peer) +
         " disagree: rank " + std::to_string(from.peer) + ", in direction " +
         to_string(from.towards, processes.num_dims()) + " of rank " +
         std::to_string(processes.rank()) + ",";
}

void check_size(const grid& processes, const channel& what, std::ptrdiff_t arrived) {
  if (arrived != bytes_of(what)) {
    throw error(errc::ranks_disagree,
                described(processes, what) + " sends " + std::to_string(arrived) + " B, " +
                    std::to_string(bytes_of(what)) + " B are expected",
                what.peer);
  }
}

error no_receiver_error(const grid& processes, const channel& what) {
  return {errc::ranks_disagree,
          "ranks " + std::to_string(processes.rank()) + " and " + std::to_string(what.peer) +
              " disagree: rank " + std::to_string(processes.rank()) + " sends " +
              std::to_string(bytes_of(what)) + " B in direction " +
              to_string(what.towards, processes.num_dims()) + ", rank " +
              std::to_string(what.peer) + " registered no buffer for it",
          what.peer};
}

namespace {

void copy_one(const grid& processes, const channel& from, const channel& into) {
  check_size(processes, into, bytes_of(from));
  if (from.buffer.type == MPI_BYTE && into.buffer.type == MPI_BYTE && !from.is_on_device &&
      !into.is_on_device) {
    if (from.buffer.count > 0) {
      std::memcpy(into.buffer.data, from.buffer.data, static_cast<std::size_t>(from.buffer.count));
    }
    return;
  }
  if (std::max(from.buffer.count, into.buffer.count) > INT_MAX) {
    throw error(errc::unsupported,
                "more than 2^31 - 1 bytes of a GPU, or to and from an MPI datatype, from a rank to "
                "itself; put several into one datatype");
  }
  check_mpi(MPI_Sendrecv(from.buffer.data,
                         static_cast<int>(from.buffer.count),
                         from.buffer.type,
                         0,
                         0,
                         into.buffer.data,
                         static_cast<int>(into.buffer.count),
                         into.buffer.type,
                         0,
                         0,
                         MPI_COMM_SELF,
                         MPI_STATUS_IGNORE),
            "MPI_Sendrecv");
}

}  // namespace

void copy_own(const grid& processes,
              const channel_side& receives,
              const channel_side& sends,
              std::exception_ptr& first_error) {
  const auto keep = [&](auto&& body) {
    try {
      body();
    } catch (const error&) {
      first_error = first_error == nullptr ? std::current_exception() : first_error;
    }
  };
  const auto other_end = [](const channel_side& among, const channel& of, bool is_send) {
    return std::ranges::find_if(among.channels, [&](const channel& each) {
      return each.peer == of.peer && travels(each, among.is_send) == travels(of, is_send);
    });
  };
  for (const channel& into : receives.channels) {
    if (into.peer == processes.rank()) {
      const auto from = other_end(sends, into, false);
      keep([&] {
        from == sends.channels.end() ? check_size(processes, into, 0)
                                     : copy_one(processes, *from, into);
      });
    }
  }
  for (const channel& from : sends.channels) {
    if (from.peer == processes.rank() &&
        other_end(receives, from, true) == receives.channels.end()) {
      keep([&] { throw no_receiver_error(processes, from); });
    }
  }
}

class channel_set::state {
 public:
  state(std::shared_ptr<grid> processes, carrier by, const stall_watch& watch)
      : processes_(std::move(processes)), by_(by), carrier_(carry_by(by, processes_, watch)) {}
  ~state() {
    if (is_receiving_ && is_mpi_running()) {
      carrier_->leave(receives_, sends_, is_sending_);
    }
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
                  std::nullopt,
                  where);
    }
    check_count(what, where);
    const bool is_on_device = lies_on_device(what, by_, where);
    if (processes_->neighbour(towards) < 0) {
      return;
    }
    channel& at = find_or_add(is_send ? sends_ : receives_, towards);
    at.buffer = what;
    at.is_on_device = is_on_device;
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
    channel_side& of = is_send ? sends_ : receives_;
    const auto found = std::ranges::find(of.channels, towards, &channel::towards);
    if (found == of.channels.end() || count < 0) {
      throw error(errc::bad_field,
                  found == of.channels.end()
                      ? "no buffer is registered for direction " +
                            to_string(towards, processes_->num_dims()) + "; register it first"
                      : "a size cannot be negative",
                  std::nullopt,
                  where);
    }
    check_count({found->buffer.data, count, found->buffer.type}, where);
    found->is_changed = found->is_changed || found->buffer.count != count;
    found->buffer.count = count;
  }

  void post_receives() {
    if (is_receiving_) {
      throw error(errc::wrong_state, "receives are posted already; wait() comes first");
    }
    processes_->require_mpi();
    carrier_->count_exchange();
    carrier_->post_receives(receives_, sends_);
    is_receiving_ = true;
  }
  void do_sends() {
    if (!is_receiving_ || is_sending_) {
      throw error(errc::wrong_state,
                  is_sending_ ? "sends are under way already; wait() comes first"
                              : "do_sends() without post_receives() before it");
    }
    processes_->require_mpi();
    carrier_->do_sends(sends_);
    is_sending_ = true;
  }
  void wait() {
    if (!is_receiving_ || !is_sending_) {
      throw error(errc::wrong_state, "wait() without post_receives() and do_sends() before it");
    }
    processes_->require_mpi();
    is_receiving_ = false;
    is_sending_ = false;
    carrier_->wait(receives_, sends_);
  }

 private:
  void check_idle(const std::source_location& where) const {
    if (is_receiving_ || is_sending_) {
      throw error(
          errc::wrong_state, "buffers are under way; wait() comes first", std::nullopt, where);
    }
  }

  channel& find_or_add(channel_side& of, const direction& towards) const {
    const auto found = std::ranges::find(of.channels, towards, &channel::towards);
    if (found != of.channels.end()) {
      return *found;
    }
    of.channels.push_back({.towards = towards, .peer = processes_->neighbour(towards)});
    return of.channels.back();
  }

  std::shared_ptr<grid> processes_;
  carrier by_;
  std::unique_ptr<channel_carrier> carrier_;
  channel_side sends_{.is_send = true};
  channel_side receives_{.is_send = false};
  bool is_receiving_ = false;
  bool is_sending_ = false;
};

channel_set::channel_set(std::shared_ptr<grid> processes,
                         carrier by,
                         std::optional<std::chrono::milliseconds> patience,
                         const std::source_location& where)
    : state_(std::make_unique<state>(std::move(processes), by, stall_watch(patience, where))) {}

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

void channel_set::post_receives(const std::source_location& where) {
  placed(where, [&] { state_->post_receives(); });
}
void channel_set::do_sends(const std::source_location& where) {
  placed(where, [&] { state_->do_sends(); });
}
void channel_set::wait(const std::source_location& where) {
  placed(where, [&] { state_->wait(); });
}

}  // namespace weft::halo::detail
