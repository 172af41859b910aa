// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads an event without a system call, on the thread that it counts.
#pragma once

#include <cstdint>
#include <optional>

#include <linux/perf_event.h>

#include "counters/families/perf/perf_kernel.hpp"

namespace weft::counters::detail {

/// The processor's registers that a page refers to. Tests replace them.
struct processor_registers {
  std::uint64_t (*counter)(std::uint32_t index);  // null: user mode cannot read them here
  std::uint64_t (*clock)();
};

[[nodiscard]] processor_registers running_processor() noexcept;

/// Returns the count of an event; nothing if that takes a system call. It does if the kernel does
/// not let user mode read the counter, or the event has no hardware counter at this moment.
///
/// Threads: only the thread that the event counts. On other threads the registers hold other
///          counts.
/// Source:  perf_event_open(2), "MMAP layout": the loop around `lock`.
[[nodiscard]] std::optional<raw_count> read_page(const perf_event_mmap_page& page,
                                                 const processor_registers& processor) noexcept;

}  // namespace weft::counters::detail
