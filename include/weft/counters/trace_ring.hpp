// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last events of one worker: written by that worker alone, read by anybody.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::counters {

enum class trace_kind : std::uint32_t {
  none,     // nothing was written here yet
  spawn,    // `subject`: the task
  begin,    // of a task's body; `subject`: the task, `label`: its function
  end,      // of the body begun last
  suspend,  // the task that runs here waits; `subject`: its stack
  resume,   // it goes on here
  steal,    // `subject`: the victim's index
  search,   // nothing is left to do here
  park,     // this worker goes to sleep
  wake
};

struct trace_record {
  std::uint64_t ticks = 0;
  std::uint64_t subject = 0;
  std::uint64_t label = 0;
  trace_kind kind = trace_kind::none;
  std::uint32_t unused = 0;
};

/// A ring of records in memory that somebody else owns, perhaps shared between processes.
///
/// Cost:    `write` is six stores.
/// Threads: `write` from one thread. A reader copies, then asks `num_written` again: records older
///          than that minus the size may have been overwritten meanwhile.
class trace_ring {
 public:
  /// `records.size()` is a power of two; both outlive the ring.
  trace_ring(std::span<trace_record> records, std::atomic<std::uint64_t>& num_written) noexcept
      : records_(records), num_written_(&num_written) {}

  void write(const trace_record& record) noexcept {
    const std::uint64_t number = num_written_->load(std::memory_order_relaxed);
    records_[number & (records_.size() - 1)] = record;
    // release: pairs with the acquire of readers, who then see the record
    num_written_->store(number + 1, std::memory_order_release);
  }

 private:
  std::span<trace_record> records_;
  std::atomic<std::uint64_t>* num_written_;
};

}  // namespace weft::counters
