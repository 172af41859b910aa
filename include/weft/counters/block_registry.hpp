// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The owners of counter blocks, and the totals of all workers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "weft/counters/block_reading.hpp"
#include "weft/counters/segment.hpp"
#include "weft/counters/worker_block.hpp"

namespace weft::counters {

/// Hands counter blocks to the workers of pools, and sums them.
///
/// A block keeps its address while its pool is open. A worker that leaves and returns (a pool that
/// shrinks and grows) continues in its former block. After the pool is closed, the counts of its
/// workers stay in `totals()`, and its blocks are reused.
/// Cost:    one lock per call; writing to a block takes none.
/// Threads: call from any thread. The worker must have written for the last time before `release`.
/// Errors:  `acquire` throws `weft::error` if that worker has its block already.
/// Example: tests/counters/block_registry_test.cpp: a_reader_never_sees_a_total_go_down.
class block_registry {
 public:
  /// Keeps blocks where only this process sees them.
  block_registry();
  block_registry(const block_registry&) = delete;
  block_registry& operator=(const block_registry&) = delete;
  ~block_registry();

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
  /// The counts of the workers of an open pool, departed ones included.
  [[nodiscard]] block_reading reading(std::uint32_t pool) const;
  [[nodiscard]] worker_totals totals(std::uint32_t pool) const { return reading(pool).counts; }

  /// The file in which other processes see the blocks; empty if there is none.
  [[nodiscard]] std::filesystem::path file() const;
  /// Why other processes do not see all blocks; empty if they do.
  [[nodiscard]] std::string why_not_shared() const;

 private:
  friend block_registry& process_blocks();
  explicit block_registry(const segment_options& shared);
  /// In the child of a fork: leaves the file to the parent. Under the lock.
  void leave_to_parent() noexcept;

  [[nodiscard]] block_slot* find(std::uint32_t pool, std::uint32_t worker) const noexcept;
  [[nodiscard]] block_slot& unused();
  void require_segment();

  mutable std::mutex mutex_;
  const segment_options shared_;
  std::unique_ptr<segment> segment_;                 // null until a block is needed
  std::vector<std::unique_ptr<segment>> inherited_;  // of the processes this one was forked from
  std::vector<block_slot*> slots_;                   // grows only: a block never moves
  std::size_t num_inherited_ = 0;                    // slots that lie in those
  block_slot* closed_slot_ = nullptr;                // shows `closed_`
  block_reading closed_;                             // of pools that are no more
  std::uint32_t next_pool_ = 0;
};

/// The registry of this process; it outlives every thread. Its blocks lie in a file, see `segment`.
///
/// A process forked from this one continues with copies of the blocks, and gets a file of its own
/// when it needs another block.
[[nodiscard]] block_registry& process_blocks();

}  // namespace weft::counters
