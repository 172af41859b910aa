// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface that carries messages between ranks: by MPI, or in the memory of one process.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "weft/distributed/archive.hpp"
#include "weft/distributed/detail/collective.hpp"
#include "weft/distributed/detail/message.hpp"

namespace weft::distributed::detail {

class engine;

/// Counts of the messages that a transport sent and received, and their bytes.
struct transfer_counts {
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_received = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
};

/// Threads: any.
class transfer_counter {
 public:
  void sent(std::size_t num_bytes) noexcept {
    messages_sent_.fetch_add(1, std::memory_order_relaxed);
    bytes_sent_.fetch_add(num_bytes, std::memory_order_relaxed);
  }
  void received(std::size_t num_bytes) noexcept {
    messages_received_.fetch_add(1, std::memory_order_relaxed);
    bytes_received_.fetch_add(num_bytes, std::memory_order_relaxed);
  }
  [[nodiscard]] transfer_counts counts() const noexcept {
    return {.messages_sent = messages_sent_.load(std::memory_order_relaxed),
            .messages_received = messages_received_.load(std::memory_order_relaxed),
            .bytes_sent = bytes_sent_.load(std::memory_order_relaxed),
            .bytes_received = bytes_received_.load(std::memory_order_relaxed)};
  }

 private:
  std::atomic<std::uint64_t> messages_sent_{0};
  std::atomic<std::uint64_t> messages_received_{0};
  std::atomic<std::uint64_t> bytes_sent_{0};
  std::atomic<std::uint64_t> bytes_received_{0};
};

/// Messages from one rank to another are taken in the order in which they were sent.
///
/// Threads: any, except for `close`.
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

  /// Lets `to` take received messages, and continues sending. One thread polls at a time; other
  /// threads return at once. Returns true if anything happened.
  virtual bool poll(engine& to) noexcept = 0;

  /// Returns false if `poll` can never find anything.
  [[nodiscard]] virtual bool needs_polling() const noexcept = 0;

  /// Receives the parts of a message, into memory that must stay until `poll` notifies `whole`.
  /// Threads: only within `engine::take` of that message.
  virtual void receive_parts(const incoming& message,
                             std::span<const part_to_fill> parts,
                             part_arrival& whole) noexcept = 0;

  /// Starts a collective operation; `poll` reports its end.
  virtual void start(collective& operation) noexcept = 0;

  [[nodiscard]] virtual transfer_counts transfers() const noexcept = 0;

  /// Ends the exchange after the last message. Collective.
  virtual void close() noexcept = 0;
  /// Ends the whole job.
  [[noreturn]] virtual void abort(std::string_view why) noexcept = 0;
};

}  // namespace weft::distributed::detail
