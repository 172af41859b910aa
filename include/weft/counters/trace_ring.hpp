// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last events of one worker: written by that worker alone, read by any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

namespace weft::counters {

/// The event that a record of a trace describes.
enum class trace_kind : std::uint8_t {
  none,     // nothing was written here yet
  spawn,    // `subject`: the task
  begin,    // of a task's body; `subject`: the task, `label`: its function
  end,      // of the body begun last
  suspend,  // the task that runs here waits; `subject`: its stack
  resume,   // it goes on here; `subject`: its stack
  steal,    // `subject`: the victim's index
  search,   // nothing is left to do here
  park,     // this worker goes to sleep
  wake,
  ready,     // what waits may go on; `subject`: its stack, `label`: as what it is spawned next
  annotate,  // as `begin`, of a part of a task that has a name of its own; `subject`: that name
  decide     // a policy has changed something; `subject`: the name of the change
};

/// An event of a trace.
struct trace_record {
  std::uint64_t ticks = 0;
  std::uint64_t subject = 0;
  std::uint64_t label = 0;
  trace_kind kind = trace_kind::none;
};

/// A record as it lies in a ring: words that others may read while they are overwritten.
struct trace_cell {
  std::array<std::atomic<std::uint64_t>, 4> words;
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "readers may be other processes");

  void store(const trace_record& record) noexcept {
    words[0].store(record.ticks, std::memory_order_relaxed);
    words[1].store(record.subject, std::memory_order_relaxed);
    words[2].store(record.label, std::memory_order_relaxed);
    words[3].store(static_cast<std::uint64_t>(record.kind), std::memory_order_relaxed);
  }
  [[nodiscard]] trace_record load() const noexcept {
    return {.ticks = words[0].load(std::memory_order_relaxed),
            .subject = words[1].load(std::memory_order_relaxed),
            .label = words[2].load(std::memory_order_relaxed),
            .kind = static_cast<trace_kind>(words[3].load(std::memory_order_relaxed))};
  }
};

/// A ring of records in memory of another owner, possibly shared between processes.
///
/// Cost:    `write` is a load and five stores.
/// Threads: `write` from one thread. A reader copies, then asks `num_written` again: of the older
///          records it copied, those at or before that number less the size may be torn.
class trace_ring {
 public:
  /// `cells.size()` is a power of two; both outlive the ring.
  trace_ring(std::span<trace_cell> cells, std::atomic<std::uint64_t>& num_written) noexcept
      : cells_(cells), num_written_(&num_written) {}

  void write(const trace_record& record) noexcept {
    const std::uint64_t number = num_written_->load(std::memory_order_relaxed);
    // release: a reader of a word of this record sees that the ones before it were counted
    std::atomic_thread_fence(std::memory_order_release);
    cells_[number & (cells_.size() - 1)].store(record);
    // release: pairs with the acquire of readers, who then see the record
    num_written_->store(number + 1, std::memory_order_release);
  }

 private:
  std::span<trace_cell> cells_;
  std::atomic<std::uint64_t>* num_written_;
};

}  // namespace weft::counters
