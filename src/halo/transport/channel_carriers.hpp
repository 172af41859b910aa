// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface that carries buffers between ranks: by messages, by one-sided puts, or through
// memory that a node shares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include "weft/halo/channels.hpp"
#include "weft/halo/detail/grid.hpp"
#include "weft/halo/error.hpp"

#include "halo/exchange/stall_watch.hpp"

namespace weft::halo::detail {

/// A registered buffer.
struct channel {
  direction towards{};
  int peer = -1;
  channel_buffer buffer{};
  bool is_on_device = false;  // only MPI may read and write it
  bool is_changed = true;
};

/// All sends, or all receives.
struct channel_side {
  bool is_send = false;
  std::vector<channel> channels{};
};

/// Returns the index of the direction in which the channel's bytes travel; both of its ends use
/// that index.
[[nodiscard]] inline std::size_t travels(const channel& what, bool is_send) {
  direction towards = what.towards;
  if (!is_send) {
    for (int& each : towards) {
      each = -each;
    }
  }
  return index_of(towards);
}

/// Units: bytes.
[[nodiscard]] std::ptrdiff_t bytes_of(const channel& what);
/// "ranks 0 and 1 disagree: rank 1, in direction (+1) of rank 0,"
[[nodiscard]] std::string described(const grid& processes, const channel& from);
/// Errors: `halo::error` (`ranks_disagree`) unless the expected number of bytes arrived.
void check_size(const grid& processes, const channel& what, std::ptrdiff_t arrived);

/// Copies the buffers that this rank sends to itself, without messages, as this rank knows both
/// sizes. Keeps the first error and copies the other buffers.
void copy_own(const grid& processes,
              const channel_side& receives,
              const channel_side& sends,
              std::exception_ptr& first_error);
/// "ranks 0 and 1 disagree: rank 0 sends 8 B in direction (+1), rank 1 registered no buffer for it"
[[nodiscard]] error no_receiver_error(const grid& processes, const channel& what);

/// The steps of an exchange. `channel_set` calls `post_receives`, `do_sends`, then `wait`; or
/// `leave` if the exchange ends before.
class channel_carrier {
 public:
  channel_carrier(std::shared_ptr<grid> processes, stall_watch watch)
      : processes_(std::move(processes)), watch_(std::move(watch)) {}
  channel_carrier(const channel_carrier&) = delete;
  channel_carrier& operator=(const channel_carrier&) = delete;
  virtual ~channel_carrier() = default;

  /// Called before the steps: counts exchanges, whose number appears in messages about long waits.
  void count_exchange() noexcept { ++num_exchanges_; }
  virtual void post_receives(channel_side& receives, const channel_side& sends) = 0;
  virtual void do_sends(channel_side& sends) = 0;
  /// Errors: `halo::error` (`ranks_disagree`), after everything has arrived, if a size does not
  ///         match.
  virtual void wait(channel_side& receives, channel_side& sends) = 0;
  /// Afterwards neither MPI nor a neighbour uses the buffers.
  virtual void leave(channel_side& receives, channel_side& sends, bool has_sent) noexcept = 0;

 protected:
  [[nodiscard]] const grid& processes() const noexcept { return *processes_; }
  /// `waited_for()`: returns the ranks that this rank waits for.
  template <class Peers>
  void note_idle_poll(const Peers& waited_for) {
    watch_.note_idle_poll(*processes_, num_exchanges_ - 1, waited_for);
  }
  template <class Condition, class Peers>
  void wait_until(const Condition& is_so, const Peers& waited_for) {
    watch_.wait_until(*processes_, num_exchanges_ - 1, is_so, waited_for);
  }

 private:
  std::shared_ptr<grid> processes_;
  stall_watch watch_;
  std::uint64_t num_exchanges_ = 0;
};

[[nodiscard]] std::unique_ptr<channel_carrier> carry_by_messages(std::shared_ptr<grid> processes,
                                                                 stall_watch watch);
[[nodiscard]] std::unique_ptr<channel_carrier> carry_by_puts(std::shared_ptr<grid> processes,
                                                             stall_watch watch);
[[nodiscard]] std::unique_ptr<channel_carrier> carry_by_memory(std::shared_ptr<grid> processes,
                                                               stall_watch watch);

}  // namespace weft::halo::detail
