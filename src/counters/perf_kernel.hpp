// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The system calls that kernel counters need; tests put another kernel behind them.
#pragma once

#include <cstdint>
#include <optional>

#include <linux/perf_event.h>

namespace weft::counters::detail {

/// What the kernel reports of one event, in the layout of its read format. Units: times in ns.
struct raw_count {
  std::uint64_t count = 0;
  std::uint64_t enabled_ns = 0;
  std::uint64_t running_ns = 0;  // < enabled_ns: the event shared its hardware counter
};

enum class event_state : std::uint8_t { counting, paused };

class perf_kernel {
 public:
  perf_kernel() = default;
  perf_kernel(const perf_kernel&) = delete;
  perf_kernel& operator=(const perf_kernel&) = delete;
  virtual ~perf_kernel() = default;

  /// Returns a descriptor, or minus the error code. `thread_id` 0: the caller, -1: every thread;
  /// `cpu` -1: any.
  virtual int open(const perf_event_attr& event, int thread_id, int cpu) = 0;
  virtual void set(int descriptor, event_state state) noexcept = 0;
  virtual std::optional<raw_count> read(int descriptor) noexcept = 0;
  virtual void close(int descriptor) noexcept = 0;
};

/// The kernel this process runs on.
[[nodiscard]] perf_kernel& running_kernel() noexcept;

}  // namespace weft::counters::detail
