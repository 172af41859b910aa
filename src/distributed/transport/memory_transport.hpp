// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks within one process: the job of a process that no launcher started, and a stand-in for MPI
// in tests. The stand-in can delay messages and take messages of different ranks in any order.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "weft/distributed/archive.hpp"
#include "weft/distributed/detail/collective.hpp"
#include "weft/distributed/detail/message.hpp"

#include "distributed/transport/transport.hpp"

namespace weft::distributed::detail {

/// How messages travel.
struct memory_world_options {
  int size = 1;
  /// Each message and each body waits for up to this time, and so overtakes those of other ranks.
  std::chrono::microseconds longest_delay{0};
  std::uint64_t seed = 1;
};

/// The state that the ranks share. Lives until the last of their transports is destroyed.
class memory_world {
 public:
  using clock = std::chrono::steady_clock;

  explicit memory_world(const memory_world_options& options);

  struct body {
    std::vector<part> parts;
    std::shared_ptr<const void> owner;
  };
  struct letter {
    clock::time_point due;
    int source;
    std::vector<std::byte> frame;
    body parts;
  };

  [[nodiscard]] int size() const noexcept { return options_.size; }
  void put(int from, int to, letter&& sent);
  /// Returns the next letter for a rank that is due, from a random sender.
  [[nodiscard]] std::optional<letter> take(int rank);
  [[nodiscard]] clock::time_point delayed();
  [[nodiscard]] std::size_t queued_bytes(int from, int to);

  /// Adds a rank's part of its next collective. The last rank performs the operation; each rank
  /// learns of the end from its own poll.
  void join(int rank, collective& operation);
  /// Returns null if no operation of that rank is done.
  [[nodiscard]] collective* take_done(int rank);

 private:
  struct link {
    std::deque<letter> letters;
    std::size_t bytes = 0;
    clock::time_point last_due;
  };
  struct channel {
    std::deque<std::vector<collective*>> pending;  // operations that some ranks have not joined yet
    std::uint64_t first = 0;                       // number of the first operation in the queue
    std::vector<std::uint64_t> num_joined;         // by rank
  };
  [[nodiscard]] link& link_of(int from, int to) {
    return links_[static_cast<std::size_t>(from) * static_cast<std::size_t>(options_.size) +
                  static_cast<std::size_t>(to)];
  }
  static void perform(std::span<collective* const> operations);

  const memory_world_options options_;
  std::mutex mutex_;
  std::mt19937_64 random_;
  std::vector<link> links_;
  std::array<channel, num_channels> channels_;
  std::vector<std::deque<collective*>> done_;  // by rank
};

/// One rank of a `memory_world`.
class memory_transport final : public transport {
 public:
  memory_transport(std::shared_ptr<memory_world> world, int rank) noexcept
      : world_(std::move(world)), rank_(rank) {}

  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int size() const noexcept override { return world_->size(); }
  std::size_t send(int to, const outgoing& message) override;
  [[nodiscard]] std::size_t queued_bytes(int to) const noexcept override;
  bool poll(engine& to) noexcept override;
  [[nodiscard]] bool needs_polling() const noexcept override { return size() > 1; }
  void receive_parts(const incoming& message,
                     std::span<const part_to_fill> parts,
                     part_arrival& whole) noexcept override;
  void start(collective& operation) noexcept override;
  [[nodiscard]] transfer_counts transfers() const noexcept override { return transfers_.counts(); }
  void close() noexcept override {}
  [[noreturn]] void abort(std::string_view why) noexcept override;

 private:
  /// Parts that are not due yet.
  struct transfer {
    memory_world::clock::time_point due;
    memory_world::body from;
    std::vector<part_to_fill> to;
    part_arrival* whole;
  };
  bool finish_transfers() noexcept;
  bool finish_collective() noexcept;

  const std::shared_ptr<memory_world> world_;
  const int rank_;
  std::mutex polling_;
  memory_world::letter* taken_ = nullptr;  // the letter whose frame the engine is taking
  std::vector<transfer> arriving_;
  transfer_counter transfers_;
};

}  // namespace weft::distributed::detail
