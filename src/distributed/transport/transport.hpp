// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What carries messages between ranks: MPI, or the memory of one process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "weft/distributed/archive.hpp"
#include "weft/distributed/detail/collective.hpp"
#include "weft/distributed/detail/message.hpp"

namespace weft::distributed::detail {

class engine;

/// Messages of one pair of ranks are taken in the order in which they were sent.
///
/// Threads: any, but `close`.
class transport {
 public:
  transport() = default;
  transport(const transport&) = delete;
  transport& operator=(const transport&) = delete;
  virtual ~transport() = default;

  [[nodiscard]] virtual int rank() const noexcept = 0;
  [[nodiscard]] virtual int size() const noexcept = 0;

  /// Returns how many bytes wait to be sent to that rank. Never waits.
  /// Errors: std::bad_alloc, and nothing is sent.
  virtual std::size_t send(int to, const outgoing& message) = 0;
  [[nodiscard]] virtual std::size_t queued_bytes(int to) const noexcept = 0;

  /// Has `to` take what has come, and goes on with what is being sent. One thread polls at a time;
  /// others return at once. True: something happened.
  virtual bool poll(engine& to) noexcept = 0;

  /// False if `poll` will never find anything.
  [[nodiscard]] virtual bool needs_polling() const noexcept = 0;

  /// Receives the parts of a message, into memory that stays until `whole` is told by `poll`.
  /// Threads: only within `engine::take` of that message.
  virtual void receive_parts(const incoming& message,
                             std::span<const part_to_fill> parts,
                             part_arrival& whole) noexcept = 0;

  /// Starts a collective operation; `poll` says when it is done.
  virtual void start(collective& operation) noexcept = 0;

  /// Ends the exchange after the last message. Collective.
  virtual void close() noexcept = 0;
  /// Ends the whole job.
  [[noreturn]] virtual void abort(std::string_view why) noexcept = 0;
};

}  // namespace weft::distributed::detail
