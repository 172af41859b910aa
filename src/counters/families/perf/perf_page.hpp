// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads an event without a system call, on the thread that it counts.
#pragma once

#include <cstdint>
#include <optional>

#include <linux/perf_event.h>

#include "counters/families/perf/perf_kernel.hpp"

namespace weft::counters::detail {

/// The processor's registers that a page refers to; tests plant others.
struct processor_registers {
  std::uint64_t (*counter)(std::uint32_t index);  // null: user mode cannot read them here
  std::uint64_t (*clock)();
};

[[nodiscard]] processor_registers running_processor() noexcept;

/// Returns what an event has counted, or nothing where it takes a system call: the kernel does not
/// allow user mode to read the counter, or the event is not on a counter at this moment.
///
/// Threads: only the thread that the event counts; elsewhere the registers are another thread's.
/// Source:  perf_event_open(2), "MMAP layout": the loop around `lock`.
[[nodiscard]] std::optional<raw_count> read_page(const perf_event_mmap_page& page,
                                                 const processor_registers& processor) noexcept;

}  // namespace weft::counters::detail
