// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who has which counter block, and what all workers counted together.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>

#include "weft/counters/block_reading.hpp"
#include "weft/counters/worker_block.hpp"

namespace weft::counters {

/// Hands counter blocks to the workers of pools, and sums them.
///
/// A block keeps its address while its pool is open. A worker that leaves and comes back (a pool
/// that shrinks and grows) goes on counting in the block it had. Once the pool is closed, what its
/// workers counted lives on in `totals()`, and its blocks are used again.
/// Cost:    one lock per call; writing to a block takes none.
/// Threads: call from any thread. The worker must have written for the last time before `release`.
/// Errors:  `acquire` throws `weft::error` if that worker has its block already.
/// Example: tests/counters/block_registry_test.cpp: a_reader_never_sees_a_total_go_down.
class block_registry {
 public:
  block_registry() = default;
  block_registry(const block_registry&) = delete;
  block_registry& operator=(const block_registry&) = delete;

  /// Returns a number that no other pool of this registry has had.
  [[nodiscard]] std::uint32_t open_pool();
  /// Keeps the sums of the pool's workers and takes their blocks back; all must be released.
  /// Errors:  `weft::error` if a worker still has its block; nothing is changed then.
  void close_pool(std::uint32_t pool);

  [[nodiscard]] worker_block* acquire(std::uint32_t pool, std::uint32_t worker);
  /// `block` is one that `acquire` of this registry returned and that was not released since.
  void release(worker_block* block) noexcept;

  /// Calls `visit` for the block of every present worker, under the lock: `visit` must not call the
  /// registry.
  void for_each(const std::function<void(const worker_block&)>& visit) const;

  /// What all workers counted that there ever were.
  [[nodiscard]] block_reading reading() const;
  [[nodiscard]] worker_totals totals() const { return reading().counts; }
  /// What the workers of an open pool counted, departed ones included.
  [[nodiscard]] block_reading reading(std::uint32_t pool) const;
  [[nodiscard]] worker_totals totals(std::uint32_t pool) const { return reading(pool).counts; }

 private:
  enum class owner : std::uint8_t { nobody, departed, present };
  struct entry {
    worker_block block;
    owner held_by = owner::nobody;
  };

  entry* find(std::uint32_t pool, std::uint32_t worker) noexcept;
  entry& unused();

  mutable std::mutex mutex_;
  std::deque<entry> entries_;  // grows only: a block never moves
  block_reading closed_;       // of pools that are no more
  std::uint32_t next_pool_ = 0;
};

/// The registry of this process; it outlives every thread.
[[nodiscard]] block_registry& process_blocks();

}  // namespace weft::counters
